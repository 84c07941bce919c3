"""Where a server is, and the token for it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from disnplbm.errors import InputError
from disnplbm.notes import Hint

#: Names that this machine has for itself.
LOOPBACK = ("127.0.0.1", "localhost", "::1")

#: What every token of ours begins with.
TOKEN_BEGINNING = "dnp_"  # noqa: S105 - all tokens begin so, and it is no secret

_PLAIN = re.compile(r"[^\s\x00-\x20\x7f/]+(/[!-~]*)*")

_TOKEN = re.compile(r"[!-~]+")


@dataclass(frozen=True, slots=True)
class Address:
    """A server.

    Parameters
    ----------
    url : str
        Without a slash at its end.
    token : str or None
        Never shown.
    loopback : bool
        Whether it is this machine.
    """

    url: str
    token: str | None = field(repr=False)
    loopback: bool

    @classmethod
    def of(cls, url: str, token: str | None) -> Address:
        """The address that was given.

        Raises
        ------
        InputError
            It is no address, or the token is none; the message repeats nothing of what was given.
        """
        try:
            found = urlsplit(url.strip())
            port = found.port
        except ValueError:
            raise InputError(Hint("server"), " is no address: give one like https://host:port") from None
        # Wherever it stands: of what is no address nobody knows which part is the secret.
        if "@" in url or TOKEN_BEGINNING in url:
            raise InputError(Hint("server"), " has a password or a token in it: leave it out, and set DISNPLBM_TOKEN")
        if found.scheme not in ("http", "https") or not found.hostname:
            raise InputError(Hint("server"), " is no address of a server: give one like https://host:port")
        if found.query or found.fragment or port == 0 or not _PLAIN.fullmatch(found.netloc + found.path):
            raise InputError(Hint("server"), " has more in it than an address: give one like https://host:port")
        secret = (token or "").strip()
        if secret and not _TOKEN.fullmatch(secret):
            raise InputError("DISNPLBM_TOKEN is no token: set it to what `disnplbm token create` printed")
        plain = SplitResult(found.scheme, found.netloc, found.path.rstrip("/"), "", "").geturl()
        return cls(plain, secret or None, found.hostname in LOOPBACK)

    @property
    def in_the_open(self) -> bool:
        """Whether others on the way could read the token."""
        return self.token is not None and self.url.startswith("http://") and not self.loopback
