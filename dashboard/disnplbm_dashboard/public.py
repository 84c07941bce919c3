"""The address at which browsers find the server, where a proxy stands before it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from disnplbm.errors import InputError

Application = Callable[[dict[str, Any], Any], Iterable[bytes]]

#: First parts of the server's own paths. A prefix that began with one could not be told from them.
RESERVED = ("api", "assets", "compare", "datasets", "metrics", "runs", "system")


@dataclass(frozen=True, slots=True)
class PublicAddress:
    """Where browsers find the server.

    Parameters
    ----------
    scheme : {"http", "https"}
    host : str
        With its port, where that is not the scheme's own.
    prefix : str
        The path below which everything is, such as "/blocks"; "" for none.
    """

    scheme: str
    host: str
    prefix: str

    @classmethod
    def of(cls, url: str) -> PublicAddress:
        """The address in DISNPLBM_PUBLIC_URL, whose form the settings have checked.

        Raises
        ------
        InputError
            Its path begins like one of the server's own.
        """
        found = urlsplit(url)
        prefix = found.path.rstrip("/")
        first = prefix.strip("/").partition("/")[0]
        if first in RESERVED:
            raise InputError(
                f"DISNPLBM_PUBLIC_URL: the path /{first} is one of the server's own pages; choose another path"
            )
        own = {"http": ":80", "https": ":443"}[found.scheme]
        return cls(found.scheme, found.netloc.lower().removesuffix(own), prefix)

    @property
    def url(self) -> str:
        """The address, without a slash at its end."""
        return f"{self.scheme}://{self.host}{self.prefix}"

    def seen(self, environment: dict[str, Any]) -> dict[str, Any]:
        """A request as the browser sent it, whatever the proxy made of host, scheme and path."""
        path: str = environment["PATH_INFO"]
        # A proxy may pass the prefix on, or take it off.
        if path == self.prefix or path.startswith(f"{self.prefix}/"):
            path = path[len(self.prefix) :] or "/"
        return environment | {
            "wsgi.url_scheme": self.scheme,
            "HTTP_HOST": self.host,
            "SCRIPT_NAME": self.prefix,
            "PATH_INFO": path,
        }

    def around(self, app: Application) -> Application:
        """An application that sees requests as browsers sent them."""
        return lambda environment, start_response: app(self.seen(environment), start_response)
