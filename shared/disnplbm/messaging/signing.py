"""Signatures of messages, which only members with the key can make: the broker's password alone is not enough.

Most of a long message is its content: a shard's statistics, or what all shards are told. Its SHA-256 is often known
already, so a signature does not go over the content once more. A signed message consists of

- an HMAC-SHA256,
- where the content begins in the message, and how many bytes it has (none at all, in a short message),
- the message.

The HMAC covers the two numbers, and the message with the content's SHA-256 in the content's place. The numbers have a
fixed length, so two different messages never give the same bytes to sign. Without a key a message is its bytes alone.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING

from disnplbm.errors import RunError

if TYPE_CHECKING:
    from hashlib import _Hash

#: Bytes of a signature.
SIGNATURE_BYTES = hashlib.sha256().digest_size

#: Where the content begins, and its length.
_PLACE = struct.Struct(">II")

_BEFORE = SIGNATURE_BYTES + _PLACE.size

#: Content with fewer bytes is signed like the rest: that takes no longer.
LEAST_CONTENT = 2**12

#: Bytes of a content by which it is looked for.
_SOUGHT = 64

_NOTHING = hashlib.sha256().digest()

_last: tuple[bytes, _Hash] = (b"", hashlib.sha256())


def sha256_of(content: bytes) -> _Hash:
    """Hash a content by SHA-256, ready for more bytes; the hash of the last content is remembered.

    A worker's statistics are hashed for their digest before they are signed, and a broadcast is signed once a shard.
    """
    global _last
    # Read once, since other threads write it.
    known, found = _last
    if known is not content:
        found = hashlib.sha256(content)
        _last = content, found
    return found.copy()


class Signer:
    """Signs messages with the first of its keys, and takes those that are signed with any of them.

    Parameters
    ----------
    keys : sequence of str
        None at all: messages travel without a signature.

    Examples
    --------
    >>> old, new = Signer(["old"]), Signer(["new", "old"])
    >>> bytes(new.verify(old.sign(b"a message")))
    b'a message'
    """

    def __init__(self, keys: Sequence[str]) -> None:
        # Each has taken its key in: a copy takes a message in, and costs less than to begin anew.
        self._begun = [hmac.new(key.encode(), digestmod="sha256") for key in keys]

    def sign(self, data: bytes, content: bytes = b"") -> bytes:
        """Sign a message; the result is what travels.

        Parameters
        ----------
        content : bytes
            What most of the data are, if anything.
        """
        if not self._begun:
            return data
        begin = data.find(content[:_SOUGHT]) if len(content) >= LEAST_CONTENT else -1
        if begin < 0 or not data.startswith(content, begin):
            begin, content = 0, b""
        place = _PLACE.pack(begin, len(content))
        digest = sha256_of(content).digest() if content else _NOTHING
        signature = _signature(self._begun[0], place, memoryview(data), begin, len(content), digest)
        return b"".join((signature, place, data))

    def verify(self, data: bytes | memoryview) -> memoryview:
        """Return what :meth:`sign` was given.

        Raises
        ------
        RunError
            The signature is missing, or of another key.
        """
        body = memoryview(data)
        if not self._begun:
            return body
        signature, place, body = bytes(body[:SIGNATURE_BYTES]), body[SIGNATURE_BYTES:_BEFORE], body[_BEFORE:]
        if len(place) == _PLACE.size:
            begin, length = _PLACE.unpack(place)
            digest = hashlib.sha256(body[begin : begin + length]).digest() if length else _NOTHING
            signatures = (_signature(begun, place, body, begin, length, digest) for begun in self._begun)
            if any(hmac.compare_digest(signature, of_key) for of_key in signatures):
                return body
        raise RunError(
            "a message is not signed with DISNPLBM_MESSAGE_KEY: give all masters and workers the same key, or find out"
            " who else writes to the broker"
        )


def _signature(
    begun: hmac.HMAC, place: bytes | memoryview, body: memoryview, begin: int, length: int, digest: bytes
) -> bytes:
    """Sign a place, and a body with a digest in place of the content that stands there."""
    mac = begun.copy()
    for part in (place, body[:begin], digest, body[begin + length :]):
        mac.update(part)
    return mac.digest()
