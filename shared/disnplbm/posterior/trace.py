"""The trace of a chain: one record an iteration."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np
from numpy.typing import NDArray


@dataclass(slots=True)
class Trace:
    """Log joint, numbers of clusters, seconds and concentrations (alpha of rows) of every iteration.

    Row and column clusters are in the user's orientation, the log joint in the user's units.
    """

    log_joint: list[float] = field(default_factory=list)
    row_clusters: list[int] = field(default_factory=list)
    column_clusters: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    alpha: list[float] = field(default_factory=list)
    beta: list[float] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.log_joint)

    def record(
        self, log_joint: float, row_clusters: int, column_clusters: int, seconds: float, alpha: float, beta: float
    ) -> None:
        """Add an iteration."""
        self.log_joint.append(log_joint)
        self.row_clusters.append(row_clusters)
        self.column_clusters.append(column_clusters)
        self.seconds.append(seconds)
        self.alpha.append(alpha)
        self.beta.append(beta)

    def first(self, length: int) -> Trace:
        """A copy of the first iterations."""
        return Trace(**{field.name: getattr(self, field.name)[:length] for field in fields(self)})

    def latest(self) -> str:
        """The last iteration in a few words, for people who watch."""
        return f"K {self.row_clusters[-1]}  L {self.column_clusters[-1]}  log joint {self.log_joint[-1]:,.1f}"

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """The trace as arrays, one a field, ready to be stored."""
        return {
            "log_joint": np.array(self.log_joint, dtype=np.float64),
            "row_clusters": np.array(self.row_clusters, dtype=np.int64),
            "column_clusters": np.array(self.column_clusters, dtype=np.int64),
            "seconds": np.array(self.seconds, dtype=np.float64),
            "alpha": np.array(self.alpha, dtype=np.float64),
            "beta": np.array(self.beta, dtype=np.float64),
        }

    @classmethod
    def of(cls, arrays: dict[str, NDArray[np.generic]]) -> Trace:
        """A trace from what :meth:`arrays` gave."""
        return cls(**{field.name: arrays[field.name].tolist() for field in fields(cls)})
