"""What a chain ends with, in the user's orientation and units."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from disnplbm.model.statistics import Labels
from disnplbm.parts import only_part, slices_of
from disnplbm.posterior.trace import Trace

#: What a result may be, in words.
ESTIMATES = {"consensus": "consensus", "map": "MAP draw", "last": "last state"}


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """Partitions, blocks and trace of a run.

    Parameters
    ----------
    row_labels : ndarray of int32, shape (n,)
        In canonical order: 0 is the largest cluster.
    column_labels : ndarray of int32, shape (p,)
        In canonical order within each part; the clusters of the first part come first.
    parts : tuple of Statistics of shape (K, L)
        Observed cells of each block of each part, in units of the (transformed) data.
    betas : tuple of float
        Concentration of the columns of each part in the last state.
    more_traces : tuple of Trace
        Of the chains besides the first.
    joint : float, optional
        log p(X, z, w) of the partitions, where they are not the last state of the trace.
    """

    row_labels: Labels
    column_labels: Labels
    parts: tuple[Any, ...]
    betas: tuple[float, ...]
    trace: Trace
    more_traces: tuple[Trace, ...] = ()
    joint: float | None = None

    @classmethod
    def of_one(
        cls,
        row_labels: Labels,
        column_labels: Labels,
        blocks: Any,
        trace: Trace,
        more_traces: tuple[Trace, ...] = (),
        joint: float | None = None,
    ) -> Result:
        """The result of a table of one part."""
        return cls(row_labels, column_labels, (blocks,), (trace.beta[-1],), trace, more_traces, joint)

    @property
    def blocks(self) -> Any:
        """Blocks of a table of one part."""
        return only_part(self.parts)

    @property
    def n_row_clusters(self) -> int:
        """K."""
        return int(self.parts[0].shape[0])

    @property
    def n_column_clusters(self) -> int:
        """L, of all parts."""
        return sum(int(blocks.shape[1]) for blocks in self.parts)

    @property
    def columns_of_parts(self) -> list[Labels]:
        """Labels of the columns of each part, from 0 on."""
        places = slices_of([int(blocks.shape[1]) for blocks in self.parts])
        labels = self.column_labels
        return [labels[(labels >= own.start) & (labels < own.stop)] - np.int32(own.start) for own in places]

    @property
    def log_joint(self) -> float:
        """log p(X, z, w) of the partitions, in the user's units."""
        return self.trace.log_joint[-1] if self.joint is None else self.joint

    @property
    def traces(self) -> tuple[Trace, ...]:
        """Traces of all chains."""
        return (self.trace, *self.more_traces)

    def digest(self) -> str:
        """SHA-256 of labels and trace (without seconds): equal digests mean the same chain, bit for bit."""
        digest = hashlib.sha256()
        for labels in (self.row_labels, self.column_labels):
            digest.update(np.ascontiguousarray(labels, dtype="<i4").tobytes())
        for trace in self.traces:
            digest.update(np.array(trace.log_joint, dtype="<f8").tobytes())
            digest.update(np.array([trace.row_clusters, trace.column_clusters], dtype="<i8").tobytes())
        return digest.hexdigest()
