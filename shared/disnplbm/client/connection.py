"""Requests to a server, repeated while it is away."""

from __future__ import annotations

import http.client
import json
import ssl
import time
import urllib.request
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar
from urllib.error import URLError

from disnplbm import __version__
from disnplbm.client.address import Address
from disnplbm.errors import Away, DisnplbmError, InputError, RunError, first_line
from disnplbm.notes import Hint, from_plain

_T = TypeVar("_T")

#: How long a server that answered before may be away, in seconds.
PATIENCE = 120.0

#: Pauses before a request is sent again, in seconds: the first, and the longest.
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 5.0

#: Longest silence of a server, in seconds, before it counts as away.
SILENCE = 60.0

#: More than any answer in JSON has.
_MOST_BYTES = 256 * 2**20

#: What proxies say while the server behind them is away, and the server while its database is.
_AWAY = (502, 503, 504)


class Dropped(Exception):
    """There was no answer, or half of one; the request may have been heard."""


class Refused(InputError):
    """The server says why it does not do what was asked."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


class _Plainly(urllib.request.HTTPErrorProcessor):
    """Gives every answer as it is: none is an error, and nobody is sent elsewhere, with the token, unasked."""

    def http_response(self, request: urllib.request.Request, response: http.client.HTTPResponse) -> Any:  # noqa: ARG002
        return response

    def https_response(self, request: urllib.request.Request, response: http.client.HTTPResponse) -> Any:  # noqa: ARG002
        return response


class Connection:
    """Asks a server.

    Parameters
    ----------
    say : callable
        Is told, once, of each time that the server is away.
    """

    def __init__(self, address: Address, say: Callable[[str], None]) -> None:
        self._address, self._say = address, say
        # The environment names the proxies; there is none on the way to this machine.
        proxies = urllib.request.ProxyHandler({} if address.loopback else None)
        self._opener = urllib.request.build_opener(_Plainly, proxies)
        self._met = False

    @property
    def url(self) -> str:
        """Where the server is."""
        return self._address.url

    def ask(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Any:
        """Ask for something that may be asked for twice.

        Parameters
        ----------
        method, path : str
            The path is below the API.
        body : object, optional
            Sent as JSON.

        Returns
        -------
        object
            The JSON of the answer; None if it is empty.

        Raises
        ------
        Refused
            The server says that it cannot be done.
        Away
            The server is away, and was for a while.
        RunError
            The server failed at it, or is no server of ours.
        """
        return self.retry(lambda: self.ask_once(method, path, body, headers))

    def ask_once(self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None) -> Any:
        """Ask as :meth:`ask` does, but once; Dropped where there is no answer."""
        data = None if body is None else json.dumps(body).encode()
        kind = {} if data is None else {"Content-Type": "application/json", "Content-Length": str(len(data))}
        with self.open(method, path, data, {**kind, **(headers or {})}) as answer:
            content = read(answer, _MOST_BYTES)
        try:
            return json.loads(content) if content else None
        except ValueError as error:
            raise RunError(f"{self.url} is no server of disnplbm: check ", Hint("server")) from error

    def open(
        self, method: str, path: str, data: bytes | Iterable[bytes] | None, headers: Mapping[str, str]
    ) -> http.client.HTTPResponse:
        """Send one request; its answer, whose body is still to be read.

        Raises
        ------
        Dropped
            There is none.
        Refused
            It says that this cannot be done.
        RunError
            It says that this failed, or the certificate is not the server's.
        """
        request = urllib.request.Request(  # noqa: S310 - the address is http or https
            f"{self.url}/api/v1{path}", data=data, method=method, headers={"User-Agent": f"disnplbm/{__version__}"}
        )
        for name, value in headers.items():
            request.add_header(name, value)
        if self._address.token is not None:
            # Not passed on to wherever a proxy or a redirect leads.
            request.add_unredirected_header("Authorization", f"Bearer {self._address.token}")
        try:
            answer: http.client.HTTPResponse = self._opener.open(request, timeout=SILENCE)
        except (OSError, UnicodeError, http.client.HTTPException) as error:
            raise self._explain_failure(error) from error
        if answer.status >= 300:
            with answer:
                raise self._make_refusal(answer)
        return answer

    def retry(self, attempt: Callable[[], _T]) -> _T:
        """Do something again and again until it is not dropped; Away if that takes too long.

        A server that never answered is not waited for.
        """
        since, pause, told = time.monotonic(), FIRST_PAUSE, False
        while True:
            try:
                found = attempt()
            except Dropped as error:
                if not self._met:
                    raise Away(
                        f"cannot reach {self.url} ({error}): check ", Hint("server"), ", and that it is up"
                    ) from error
                if time.monotonic() - since > PATIENCE:
                    raise Away(f"{self.url} is away ({error}): try again when it is back") from error
                if not told:
                    self._say(f"{self.url} is away ({error}); trying again for {PATIENCE:.0f} s")
                    told = True
                time.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
            except DisnplbmError:
                self._met = True
                raise
            else:
                self._met = True
                return found

    def _explain_failure(self, error: Exception) -> Exception:
        """Say what the lack of an answer means."""
        reason = error.reason if isinstance(error, URLError) else error
        if isinstance(reason, ssl.SSLError):
            return RunError(f"{self.url}: no secure connection ({first_line(reason)}): check ", Hint("server"))
        return Dropped(describe(reason))

    def _make_refusal(self, answer: http.client.HTTPResponse) -> Exception:
        """Make the error that an answer means."""
        if answer.status < 400:
            where = answer.headers.get("Location", "another place").split("/api/v1")[0]
            return InputError(
                f"{self.url} sends on to {where[:200]}: give that as ", Hint("server"), " if you trust it"
            )
        detail = _detail(read(answer, 2**20)) or f"{answer.status} {answer.reason}"
        if answer.status in _AWAY:
            return Dropped(detail)
        if answer.status == 401:
            what = "set" if self._address.token is None else "check"
            return Refused(401, f"{self.url} needs a token: {what} DISNPLBM_TOKEN ({detail})")
        return RunError(f"{self.url}: ", detail) if answer.status >= 500 else Refused(answer.status, detail)


def read(answer: http.client.HTTPResponse, most: int) -> bytes:
    """The body of an answer, or a piece of it; Dropped if the connection breaks off."""
    try:
        return answer.read(most)
    except (OSError, http.client.HTTPException) as error:
        raise Dropped(describe(error)) from error


def describe(reason: object) -> str:
    """Say in a few words why a connection broke off."""
    if isinstance(reason, TimeoutError):
        return "no answer"
    if isinstance(reason, http.client.HTTPException):
        return "the connection broke off"
    return str(getattr(reason, "strerror", None) or reason or "the connection broke off")


def _detail(content: bytes) -> str:
    """What a problem says; nothing if it is none."""
    try:
        found = json.loads(content)
        if isinstance(found, dict) and found.get("note") is not None:
            return from_plain(found["note"])
    except (ValueError, KeyError, TypeError):
        return ""
    return " ".join(str(found.get("detail", "")).split()) if isinstance(found, dict) else ""
