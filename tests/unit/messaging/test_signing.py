"""Only who has a key makes messages that are taken, and keys can be changed one after another."""

from __future__ import annotations

import hashlib
import hmac
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disnplbm.errors import RunError
from disnplbm.messaging import signing
from disnplbm.messaging.signing import LEAST_CONTENT, Signer, sha256_of

OLD, NEW = "o" * 32, "n" * 32


@given(st.binary(max_size=50), st.sampled_from([[], [OLD], [OLD, NEW]]))
def test_what_was_signed_is_taken(data: bytes, keys: list[str]) -> None:
    assert bytes(Signer(keys).verify(Signer(keys).sign(data))) == data


@given(st.binary(max_size=50), st.data())
def test_what_was_changed_is_not(data: bytes, draw: st.DataObject) -> None:
    signer = Signer([OLD])
    changed = bytearray(signer.sign(data))
    changed[draw.draw(st.integers(0, len(changed) - 1))] ^= draw.draw(st.integers(1, 255))
    with pytest.raises(RunError, match="is not signed with DISNPLBM_MESSAGE_KEY"):
        signer.verify(bytes(changed))


@pytest.mark.parametrize("body", [b"", b"short", bytes(32), bytes(100)])
def test_what_was_not_signed_is_not(body: bytes) -> None:
    with pytest.raises(RunError, match="is not signed"):
        Signer([OLD]).verify(body)


@pytest.mark.parametrize(
    ("sender", "receiver", "taken"),
    [
        ([OLD], [OLD, NEW], True),
        ([OLD, NEW], [OLD], True),
        ([OLD, NEW], [NEW, OLD], True),
        ([NEW, OLD], [NEW], True),
        ([NEW, OLD], [OLD], False),
        ([NEW], [OLD], False),
    ],
)
def test_the_first_key_signs_and_all_are_taken(sender: list[str], receiver: list[str], taken: bool) -> None:
    sent = Signer(sender).sign(b"a message")
    if taken:
        assert bytes(Signer(receiver).verify(sent)) == b"a message"
    else:
        with pytest.raises(RunError):
            Signer(receiver).verify(sent)


#: Long enough that its SHA-256 is signed in its place, between what comes before and after it.
CONTENT = bytes(range(256)) * (LEAST_CONTENT // 256 + 1)
LONG = b"before" + CONTENT + b"after"


def test_what_is_signed_of_a_short_message() -> None:
    place = struct.pack(">II", 0, 0)
    signed = place + hashlib.sha256(b"").digest() + b"a message"
    assert Signer([OLD]).sign(b"a message") == hmac.digest(OLD.encode(), signed, "sha256") + place + b"a message"
    # As it travels, for whoever writes a member in another language.
    assert hashlib.sha256(Signer([OLD]).sign(b"a message")).hexdigest() == (
        "951797e80cdb22de274b8299cf51a3d3633239b6ff1c2e3c6ee1ed864655258e"
    )


def test_what_is_signed_of_a_long_message() -> None:
    place = struct.pack(">II", 6, len(CONTENT))
    signed = place + b"before" + hashlib.sha256(CONTENT).digest() + b"after"
    sent = Signer([OLD]).sign(LONG, CONTENT)
    assert sent == hmac.digest(OLD.encode(), signed, "sha256") + place + LONG
    assert bytes(Signer([OLD]).verify(sent)) == LONG
    assert hashlib.sha256(sent).hexdigest() == "fdcd783fc84ef605857fc27d50fb00430744b9a13a96bc5d322e53014c5c181f"


@given(st.data())
def test_no_byte_of_a_long_message_can_be_changed_or_cut(draw: st.DataObject) -> None:
    sent = Signer([OLD]).sign(LONG, CONTENT)
    at = draw.draw(st.integers(0, len(sent) - 1))
    changed = bytearray(sent)
    changed[at] ^= draw.draw(st.integers(1, 255))
    for other in (bytes(changed), sent[:at], sent[:at] + sent[at + 1 :], sent + b"more"):
        with pytest.raises(RunError, match="is not signed"):
            Signer([OLD]).verify(other)


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_a_signature_holds_for_one_place_of_the_content(begin: int, length: int) -> None:
    """Nobody without the key makes other bytes the content, not even where the digest of none is signed."""
    sent = Signer([OLD]).sign(LONG)
    moved = sent[:32] + struct.pack(">II", begin, length) + sent[40:]
    if moved != sent:
        with pytest.raises(RunError, match="is not signed"):
            Signer([OLD]).verify(moved)


def test_a_signature_from_before_there_were_places_is_refused() -> None:
    with pytest.raises(RunError, match="is not signed"):
        Signer([OLD]).verify(hmac.digest(OLD.encode(), LONG, "sha256") + LONG)


@pytest.mark.parametrize("content", [b"short", CONTENT[::-1], CONTENT + b"x", b"x" + CONTENT])
def test_a_content_that_is_not_in_the_message_is_none(content: bytes) -> None:
    assert Signer([OLD]).sign(LONG, content) == Signer([OLD]).sign(LONG)


def test_a_content_is_hashed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the worker for its digest, and by the master for all shards."""
    content, hashed = bytes(LEAST_CONTENT), list[int]()
    once = hashlib.sha256

    def counting(data: bytes = b"") -> object:
        hashed.append(len(data))
        return once(data)

    monkeypatch.setattr(signing.hashlib, "sha256", counting)
    digest = sha256_of(content)
    # Who goes on with it changes nothing for the others.
    digest.update(b"more")
    for shard in range(4):
        Signer([OLD]).sign(b"%d" % shard + content, content)
    assert hashed == [LEAST_CONTENT]
    assert sha256_of(content).digest() == once(content).digest()
