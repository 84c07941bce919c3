"""Only who has a key makes messages that are taken, and keys can be changed one after another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disnplbm.errors import RunError
from disnplbm.messaging.signing import Signer

OLD, NEW = "o" * 32, "n" * 32


@given(st.binary(max_size=50), st.sampled_from([[], [OLD], [OLD, NEW]]))
def test_what_was_signed_is_taken(data: bytes, keys: list[str]) -> None:
    assert bytes(Signer(keys).verified(Signer(keys).signed(data))) == data


@given(st.binary(max_size=50), st.data())
def test_what_was_changed_is_not(data: bytes, draw: st.DataObject) -> None:
    signer = Signer([OLD])
    changed = bytearray(signer.signed(data))
    changed[draw.draw(st.integers(0, len(changed) - 1))] ^= draw.draw(st.integers(1, 255))
    with pytest.raises(RunError, match="is not signed with DISNPLBM_MESSAGE_KEY"):
        signer.verified(bytes(changed))


@pytest.mark.parametrize("body", [b"", b"short", bytes(32), bytes(100)])
def test_what_was_not_signed_is_not(body: bytes) -> None:
    with pytest.raises(RunError, match="is not signed"):
        Signer([OLD]).verified(body)


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
    sent = Signer(sender).signed(b"a message")
    if taken:
        assert bytes(Signer(receiver).verified(sent)) == b"a message"
    else:
        with pytest.raises(RunError):
            Signer(receiver).verified(sent)
