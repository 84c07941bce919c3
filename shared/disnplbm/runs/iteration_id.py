"""Which iteration of which chain something belongs to."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class _OfIteration(Protocol):
    @property
    def run(self) -> str: ...

    @property
    def stream(self) -> int: ...

    @property
    def iteration(self) -> int: ...


class IterationId(NamedTuple):
    """An iteration of a stream of a run."""

    run: str
    stream: int
    iteration: int

    @classmethod
    def of(cls, record: _OfIteration) -> IterationId:
        """The iteration that a record or a message is of; of a chain the one under way."""
        return cls(record.run, record.stream, record.iteration)

    def shifted(self, by: int) -> IterationId:
        """An iteration of the same stream, before or after this one."""
        return self._replace(iteration=self.iteration + by)

    def prefix(self, kind: str) -> str:
        """Where the object store has the iteration's ``labels``, ``statistics`` or ``states``."""
        return f"runs/{self.run}/{kind}/{self.stream}/{self.iteration}"
