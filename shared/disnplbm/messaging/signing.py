"""Signatures of messages, which only members with the key can make: the broker's password alone is not enough.

A signed message is the HMAC-SHA256 of its bytes, and these bytes. Without a key a message is its bytes alone.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

from disnplbm.errors import RunError

#: Bytes of a signature.
SIGNATURE_BYTES = hashlib.sha256().digest_size


class Signer:
    """Signs messages with the first of its keys, and takes those that are signed with any of them.

    Parameters
    ----------
    keys : sequence of str
        None at all: messages travel without a signature.

    Examples
    --------
    >>> old, new = Signer(["old"]), Signer(["new", "old"])
    >>> bytes(new.verified(old.signed(b"a message")))
    b'a message'
    """

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = [key.encode() for key in keys]

    def signed(self, data: bytes) -> bytes:
        """The message as it travels."""
        return _signature(self._keys[0], data) + data if self._keys else data

    def verified(self, data: bytes | memoryview) -> memoryview:
        """What :meth:`signed` was given.

        Raises
        ------
        RunError
            The signature is missing, or of another key.
        """
        body = memoryview(data)
        if not self._keys:
            return body
        signature, body = bytes(body[:SIGNATURE_BYTES]), body[SIGNATURE_BYTES:]
        if not any(hmac.compare_digest(signature, _signature(key, body)) for key in self._keys):
            raise RunError(
                "a message is not signed with DISNPLBM_MESSAGE_KEY: give all masters and workers the same key, or find"
                " out who else writes to the broker"
            )
        return body


def _signature(key: bytes, data: bytes | memoryview) -> bytes:
    return hmac.digest(key, data, "sha256")
