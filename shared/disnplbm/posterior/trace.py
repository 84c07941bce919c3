"""The trace of a chain: one row an iteration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from disnplbm.sampler.trace_row import TraceRow


@dataclass(slots=True)
class Trace:
    """The fields of a :class:`TraceRow` of every iteration, each as a list."""

    log_joint: list[float] = field(default_factory=list)
    row_clusters: list[int] = field(default_factory=list)
    column_clusters: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    alpha: list[float] = field(default_factory=list)
    beta: list[float] = field(default_factory=list)

    @classmethod
    def of(cls, rows: Iterable[TraceRow]) -> Trace:
        """A trace of rows, in their order."""
        trace = cls()
        for row in rows:
            trace.append(row)
        return trace

    def __len__(self) -> int:
        return len(self.log_joint)

    def __iter__(self) -> Iterator[TraceRow]:
        return map(TraceRow._make, zip(*(getattr(self, name) for name in TraceRow._fields), strict=True))

    def append(self, row: TraceRow) -> None:
        """Add an iteration."""
        for name, value in zip(TraceRow._fields, row, strict=True):
            getattr(self, name).append(value)

    @property
    def last(self) -> TraceRow:
        """The last iteration."""
        return TraceRow._make(getattr(self, name)[-1] for name in TraceRow._fields)

    def first(self, length: int) -> Trace:
        """A copy of the first iterations."""
        return Trace(*(getattr(self, name)[:length] for name in TraceRow._fields))

    def latest(self) -> str:
        """The last iteration in a few words, for people who watch."""
        return f"K {self.row_clusters[-1]}  L {self.column_clusters[-1]}  log joint {self.log_joint[-1]:,.1f}"

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """The trace as arrays, one a field, ready to be stored."""
        counts = ("row_clusters", "column_clusters")
        return {
            name: np.array(getattr(self, name), dtype=np.int64 if name in counts else np.float64)
            for name in TraceRow._fields
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, NDArray[np.generic]]) -> Trace:
        """A trace from what :meth:`arrays` gave."""
        return cls(*(arrays[name].tolist() for name in TraceRow._fields))
