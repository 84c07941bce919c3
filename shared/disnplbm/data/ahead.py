"""Work that goes on beside: one thread reads or writes a chunk while another looks at the one before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self, TypeVar, cast

_T = TypeVar("_T")

_END = object()


def read_ahead(items: Iterator[_T]) -> Iterator[_T]:
    """The same items, each made in a thread of its own while the one before is in use; so are errors."""
    with ThreadPoolExecutor(1, thread_name_prefix="reading") as beside:
        coming: Future[Any] = beside.submit(next, items, _END)
        while (item := coming.result()) is not _END:
            coming = beside.submit(next, items, _END)
            yield cast(_T, item)


class Beside:
    """A context manager that runs calls in a thread of its own, in their order, each once the one before has ended."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="writing")
        self._last: Future[Any] | None = None

    def call(self, function: Callable[..., object], *arguments: Any) -> None:
        """Wait for the call before, and begin this one; raises what the one before raised."""
        self.wait()
        self._last = self._pool.submit(function, *arguments)

    def wait(self) -> None:
        """Wait for the last call; raises what it raised."""
        last, self._last = self._last, None
        if last is not None:
            last.result()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        try:
            if kind is None:
                self.wait()
        finally:
            self._pool.shutdown(wait=True)
