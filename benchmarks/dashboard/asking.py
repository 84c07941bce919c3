"""Questions to a server over a connection that is kept, as browsers keep theirs, and how long each took."""

from __future__ import annotations

import http.client
import time
from collections.abc import Iterable
from types import TracebackType
from typing import Self


class Asking:
    """A connection to the API of a server on this machine.

    Parameters
    ----------
    port : int
    """

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60.0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._connection.close()

    def get(self, path: str) -> bytes:
        """The body of an answer; an AssertionError if the answer is no success."""
        self._connection.request("GET", path)
        answer = self._connection.getresponse()
        body = answer.read()
        assert answer.status == 200, (path, answer.status, body[:300])
        return body

    def timed_get(self, path: str) -> tuple[float, bytes]:
        """Seconds until an answer was read, and its body, as :meth:`get` gives it."""
        began = time.perf_counter()
        body = self.get(path)
        return time.perf_counter() - began, body

    def timed(self, paths: Iterable[str]) -> list[float]:
        """Seconds of one question after another."""
        return [self.timed_get(path)[0] for path in paths]
