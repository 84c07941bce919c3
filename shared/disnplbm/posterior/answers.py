"""The answer of each chain, whether they are one, and which draws the report comes from.

If the chains are stuck on different answers (:mod:`disnplbm.posterior.verdict`), all their draws together stand for a
partition that no chain ever was near. Then the report comes from one chain, the one of the highest mean log joint, and
all that is said of it (confidence, second answer, intervals of the blocks, similarities) from the draws of that chain.
Chains that overlap, short or not, are taken together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from disnplbm.posterior.consensus import Consensus, consensus, consensus_of_parts
from disnplbm.posterior.diagnostics import Diagnosis, diagnose, traces_of
from disnplbm.posterior.draws import Axis, Draws
from disnplbm.posterior.partition_sample import collapse
from disnplbm.posterior.scores import partition_scores
from disnplbm.posterior.separation import separation


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What the draws of one chain, or of all, say.

    Parameters
    ----------
    draws : Draws
        Of these chains.
    """

    chains: tuple[int, ...]
    draws: Draws
    rows: Consensus
    columns: Consensus

    @property
    def mean_log_joint(self) -> float:
        """Of the draws."""
        return float(self.draws.numbers().log_joint.mean())


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """The answer of each chain, and of those that are reported.

    Parameters
    ----------
    of_chains : tuple of Answer
        Of each chain, in their order.
    together : Answer or None
        Of all chains; None where they are stuck on different answers.
    """

    of_chains: tuple[Answer, ...]
    together: Answer | None
    diagnosis: Diagnosis

    @property
    def best(self) -> Answer:
        """Of all chains, or of the one with the highest mean log joint; the first of equal ones."""
        return self.together or max(self.of_chains, key=lambda answer: answer.mean_log_joint)

    def of_chain(self, chain: int) -> Answer:
        """Of all chains, or of this one."""
        return self.together or next(answer for answer in self.of_chains if chain in answer.chains)

    def compared(self, reported: Answer) -> list[dict[str, Any]]:
        """Each chain beside the answer that is reported, in plain values."""
        return [_compared(answer, reported) for answer in self.of_chains]


def answers(draws: Draws, loss: str) -> Answers:
    """Find the answer of each chain and of all together, and compare the chains.

    Parameters
    ----------
    draws : Draws
        Of one chain or several.
    loss : {"vi", "binder"}
        What a consensus minimises the expectation of.
    """
    numbers = draws.numbers()
    chains = np.unique(numbers.chain).tolist()
    of_chains = tuple(_answer(draws.select(np.flatnonzero(numbers.chain == chain)), (chain,), loss) for chain in chains)
    rows, columns = [one.rows.labels for one in of_chains], [one.columns.labels for one in of_chains]

    def separation_of(axis: Axis) -> float:
        return separation(collapse(draws.labels(axis))[0], numbers.chain, loss)

    diagnosis = diagnose(traces_of(numbers), rows, columns, separation_of)
    if len(chains) == 1:
        return Answers(of_chains, of_chains[0], diagnosis)
    together = None if diagnosis.verdict.kind == "stuck" else _answer(draws, tuple(chains), loss)
    return Answers(of_chains, together, diagnosis)


def _answer(draws: Draws, chains: tuple[int, ...], loss: str) -> Answer:
    columns = consensus_of_parts(draws.labels("columns"), draws.meta.lengths, loss)
    return Answer(chains, draws, consensus(draws.labels("rows"), loss), columns)


def _compared(answer: Answer, reported: Answer) -> dict[str, Any]:
    numbers = answer.draws.numbers()
    return {
        "chain": answer.chains[0],
        "reported": answer.chains[0] in reported.chains,
        "mean_log_joint": answer.mean_log_joint,
        "row_clusters": int(answer.rows.labels.max()) + 1,
        "column_clusters": int(answer.columns.labels.max()) + 1,
        "row_clusters_drawn": [int(numbers.row_clusters.min()), int(numbers.row_clusters.max())],
        "column_clusters_drawn": [int(numbers.column_clusters.min()), int(numbers.column_clusters.max())],
        "row_ari": partition_scores(reported.rows.labels, answer.rows.labels)[0],
        "column_ari": partition_scores(reported.columns.labels, answer.columns.labels)[0],
    }
