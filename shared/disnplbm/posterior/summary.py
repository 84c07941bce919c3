"""What the draws of a run say: numbers of clusters, consensus partitions, how sure each row and column is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from disnplbm.model.statistics import Labels
from disnplbm.parts import only_part
from disnplbm.posterior.answers import Answer, Answers, answers
from disnplbm.posterior.block_summary import BlockSummary, summarise_blocks
from disnplbm.posterior.confidence import confidence
from disnplbm.posterior.consensus import Consensus, expected_loss
from disnplbm.posterior.diagnostics import Diagnosis
from disnplbm.posterior.draws import Draw, Draws
from disnplbm.posterior.partition_sample import collapse


@dataclass(frozen=True, slots=True, eq=False)
class Summary:
    """A point estimate of both partitions with what the draws say of it.

    Parameters
    ----------
    rows, columns : Consensus
        The estimate and its expected loss; of a MAP draw or a last state too, so that all are judged alike.
    parts : tuple of BlockSummary
        Posterior means and intervals of what the blocks of each part say of themselves.
    numbers : dict
        "row_clusters", "column_clusters" and "both": share of the draws by K, by L and by "K x L".
    n_draws : int
        Of the chains that it comes from.
    answers : Answers
        Of all chains.
    reported : Answer
        The one that it comes from.
    """

    rows: Consensus
    columns: Consensus
    parts: tuple[BlockSummary, ...]
    numbers: dict[str, dict[str, float]]
    n_draws: int
    answers: Answers
    reported: Answer

    @property
    def blocks(self) -> BlockSummary:
        """Of a table of one part."""
        return only_part(self.parts)

    @property
    def diagnosis(self) -> Diagnosis:
        """Whether the chains agree."""
        return self.answers.diagnosis

    def to_dict(self) -> dict[str, Any]:
        """What run.json says of it."""
        return {
            "draws": self.n_draws,
            "chains": list(self.reported.chains),
            "partition": {axis: partition.kind for axis, partition in _axes(self)},
            "answers": self.answers.compared(self.reported),
            **self.numbers,
            "expected_loss": {
                "kind": self.rows.loss,
                "rows": self.rows.expected_loss,
                "columns": self.columns.expected_loss,
            },
            "mean_confidence": {
                "rows": float(self.rows.confidence.mean()),
                "columns": float(self.columns.confidence.mean()),
            },
            "runner_up": {axis: _described(partition) for axis, partition in _axes(self)},
        }


def summarise_draws(
    draws: Draws, generator: np.random.Generator, given: tuple[Labels, Labels, int] | None, loss: str = "vi"
) -> Summary:
    """Summarise draws around their consensus, or around partitions that are given.

    Where the chains are stuck on different answers, the draws of one chain are summarised: the one with the highest
    mean log joint, or the one that the given partitions come from.

    Parameters
    ----------
    generator : numpy.random.Generator
        For the parameters of blocks.
    given : (ndarray of int32, ndarray of int32, int), optional
        Partitions of rows and columns of a draw, to report instead of the consensus, and their chain.
    loss : {"vi", "binder"}
        What the consensus minimises the expectation of, and partitions are judged by.
    """
    found = answers(draws, loss)
    reported = found.best if given is None else found.of_chain(given[2])
    rows, columns = reported.rows, reported.columns
    if given is not None:
        rows = _given(reported.draws, "rows", given[0], rows)
        columns = _given(reported.draws, "columns", given[1], columns)
    blocks = summarise_blocks(reported.draws, rows.labels, columns.labels, generator)
    return Summary(rows, columns, blocks, _numbers(reported.draws), len(reported.draws), found, reported)


def map_draw(draws: Draws) -> Draw:
    """The draw of the highest joint density."""
    return draws[int(np.argmax(draws.numbers().log_joint))]


def _given(draws: Draws, axis: Any, labels: Labels, best: Consensus) -> Consensus:
    drawn = draws.labels(axis)
    sample, types = collapse(drawn)
    # A draw's partition: the same for all items of a type.
    of_types = labels[np.unique(types, return_index=True)[1]]
    sure = confidence(sample, of_types)[types]
    return Consensus(labels, expected_loss(drawn, labels, best.loss), best.loss, "given", sure, best.runner_up)


def _numbers(draws: Draws) -> dict[str, dict[str, float]]:
    numbers = draws.numbers()
    pairs = list(zip(numbers.row_clusters.tolist(), numbers.column_clusters.tolist(), strict=True))
    return {
        "row_clusters": _shares([str(k) for k, _ in pairs]),
        "column_clusters": _shares([str(c) for _, c in pairs]),
        "both": _shares([f"{k} x {c}" for k, c in pairs]),
    }


def _shares(names: list[str]) -> dict[str, float]:
    """Share of each name, most frequent first."""
    counts = {name: names.count(name) for name in sorted(set(names))}
    return {name: counts[name] / len(names) for name in sorted(counts, key=lambda name: -counts[name])}


def _axes(summary: Summary) -> tuple[tuple[str, Consensus], tuple[str, Consensus]]:
    return ("rows", summary.rows), ("columns", summary.columns)


def _described(partition: Consensus) -> dict[str, Any] | None:
    second = partition.runner_up
    if second is None:
        return None
    return {
        "clusters": int(second.labels.max()) + 1,
        "share": float(second.share),
        "distance": float(second.distance),
        "moved": float(second.moved),
    }
