"""What a verdict on the chains says in words: the command line, run.json and the report say the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from disnplbm.notes import Hint, Note
from disnplbm.posterior.diagnostics import ESS_PER_CHAIN, LEAST_DRAWS, Convergence, Diagnosis
from disnplbm.posterior.verdict import SMALLEST_ARI

#: R-hat up to which twice as many iterations may well do.
NEARLY = 1.05

_BURN_IN = Hint("burn_in", 100)

_TRACES = {
    "log_joint": "log joint",
    "row_clusters": "number of row clusters",
    "column_clusters": "number of column clusters",
    "alpha": "concentration alpha",
    "beta": "concentration beta",
}
_AXES = {"rows": "rows", "columns": "columns", "log_joint": "log joint"}


def badge(verdict: Mapping[str, Any]) -> str | None:
    """What stands beside K x L: "not settled" with :func:`doubt`; None where there is none.

    Parameters
    ----------
    verdict : mapping
        :meth:`disnplbm.posterior.verdict.Verdict.to_dict`.
    """
    found = doubt(verdict)
    return None if found is None else f"not settled: {found}"


def doubt(verdict: Mapping[str, Any]) -> str | None:
    """The axes that are not settled, and R-hat; None where there is no doubt."""
    kind = verdict["kind"]
    if kind not in ("short", "stuck"):
        return None
    axes = [axis for axis in _AXES if verdict[axis] == kind]
    figure = _figure(verdict, axes)
    return f"{listed([_AXES[axis] for axis in axes])}{f', {figure}' if figure else ''}"


def _figure(verdict: Mapping[str, Any], axes: Sequence[str]) -> str:
    if verdict["r_hat"] is not None:
        return f"R-hat {verdict['r_hat']:.3g}" if verdict["r_hat"] >= 1.1 else f"R-hat {verdict['r_hat']:.3f}"
    # How alike partitions are says nothing of the log joint.
    return "" if verdict["ari"] is None or axes == ["log_joint"] else f"ARI between chains {_two(verdict['ari'])}"


def sentence(diagnosis: Diagnosis, iterations: int) -> str:
    """What the figures say of a run of so many iterations, and what to do."""
    verdict = diagnosis.verdict
    if verdict.kind == "stuck":
        where = listed([_AXES[axis] for axis in verdict.axes_in("stuck")])
        return (
            f"Not settled: the chains are stuck on different answers ({where}). {_figures(diagnosis)}{_due(diagnosis)}"
            " More iterations alone hardly help: try a crossed start, the other sampler (split-merge or collapsed), or"
            " more restarts."
        )
    if verdict.kind == "short":
        return (
            f"Not settled: {_who(diagnosis)}. {_figures(diagnosis)}{_due(diagnosis)} {_longer(diagnosis, iterations)}"
        )
    if diagnosis.agree is None:
        return _undefined(diagnosis)
    return _agreement(diagnosis)


def no_draws(chains: int) -> Note:
    """What is known of the certainty of a run that kept no draws."""
    if chains == 1:
        return Note(
            "This is the last state of one chain, and the run kept no draws. Draws tell how certain the clusters are,"
            " and `predict` and `impute` need them. To keep some, add ",
            *(_BURN_IN, ", or ", Hint("chains", 4), " to compare chains too."),
            kind="no-draws",
        )
    return Note(
        f"This is the last state of the first of {chains:,} chains, and the run kept no draws. Draws compare the"
        " chains, and `predict` and `impute` need them. To keep some, add ",
        *(_BURN_IN, "."),
        kind="no-draws",
    )


def shown(posterior: Mapping[str, Any], chains: int) -> str:
    """Which draws a consensus comes from, and where a draw stands in for it; "" where there is nothing to say.

    Parameters
    ----------
    posterior : mapping
        :meth:`disnplbm.posterior.summary.Summary.to_dict`.
    chains : int
        Of the run.
    """
    sentences = []
    partition, of_chains = posterior["partition"], posterior["chains"]
    if len(of_chains) < chains:
        why = ": it has the highest mean log joint" if "given" not in partition.values() else ""
        sentences.append(f"The result comes from chain {of_chains[0]} alone{why}.")
    drawn = [axis for axis, kind in partition.items() if kind == "draw"]
    if drawn:
        sentences.append(
            f"The {listed(drawn)} come from one draw, the nearest to all draws: a consensus would have a number of"
            " clusters that no draw has."
        )
    return " ".join(sentences)


def answers(posterior: Mapping[str, Any]) -> list[str]:
    """One line for each chain: K x L, mean log joint, and how alike it is to what is shown."""
    lines = []
    for answer in posterior["answers"]:
        line = f"{answer['row_clusters']} x {answer['column_clusters']}, mean log joint {answer['mean_log_joint']:,.1f}"
        if len(posterior["chains"]) == 1 and answer["reported"]:
            line += "; this is the result"
        else:
            line += f"; ARI with the result: rows {_two(answer['row_ari'])}, columns {_two(answer['column_ari'])}"
        lines.append(line)
    return lines


def listed(nouns: Sequence[str]) -> str:
    """Nouns in a row: "rows, columns and log joint"."""
    return " and ".join(filter(None, (", ".join(nouns[:-1]), nouns[-1]))) if nouns else ""


def _who(diagnosis: Diagnosis) -> str:
    return "the chains differ, but overlap" if diagnosis.chains > 1 else "the two halves of the chain differ"


def _figures(diagnosis: Diagnosis) -> str:
    found = [_fault(trace) for trace in diagnosis.traces if trace.agree is False]
    for noun, ari in (("rows", _least(diagnosis.row_ari)), ("columns", _least(diagnosis.column_ari))):
        if ari < SMALLEST_ARI:
            found.append(f"the adjusted Rand index of the {noun} between two chains is down to {_two(ari)}")
    together = "; ".join(found)
    return f"{together[0].upper()}{together[1:]}."


def _fault(trace: Convergence) -> str:
    noun = _TRACES.get(trace.name, trace.name)
    return f"each chain keeps to its own {noun}" if trace.r_hat is None else f"R-hat of the {noun} is {trace.r_hat:.3f}"


def _due(diagnosis: Diagnosis) -> str:
    """What can be said for the rows and the columns whose consensus is about the same in all chains."""
    if diagnosis.chains == 1:
        return ""
    aris = {"rows": _least(diagnosis.row_ari), "columns": _least(diagnosis.column_ari)}
    alike = [axis for axis in aris if aris[axis] >= SMALLEST_ARI]
    settled = [axis for axis in alike if getattr(diagnosis.verdict, axis) == "settled"]
    others = [axis for axis in alike if axis not in settled]
    said = ""
    if settled:
        said = f" The {listed(settled)} are settled: the {_between(aris, settled)}."
    if others:
        said += (
            f" The consensus of the {listed(others)} hardly differs between the chains (the {_between(aris, others)}),"
            " but the draws around it do."
        )
    return said


def _between(aris: Mapping[str, float], axes: Sequence[str]) -> str:
    return f"adjusted Rand index between chains is at least {_two(min(aris[axis] for axis in axes))}"


def _longer(diagnosis: Diagnosis, iterations: int) -> str:
    r_hat, them = diagnosis.verdict.r_hat, "them" if diagnosis.chains > 1 else "it"
    how, factor = ("twice", 2) if r_hat is not None and r_hat <= NEARLY else ("at least four times", 4)
    longer = factor * iterations
    return f"Run {them} {how} as long: {longer:,} iterations, {longer // 2:,} of them burn-in."


def _agreement(diagnosis: Diagnosis) -> str:
    defined = [trace for trace in diagnosis.traces if trace.agree is not None]
    r_hat = max(trace.r_hat for trace in defined if trace.r_hat is not None)
    effective = min(ess for trace in defined for ess in (trace.ess_bulk, trace.ess_tail) if ess is not None)
    worth = f"The draws are worth at least {effective:,.0f} independent ones"
    if effective < ESS_PER_CHAIN * diagnosis.chains:
        worth += ". These are few: more draws give steadier figures"
    if diagnosis.chains > 1:
        return f"The chains agree: R-hat is at most {r_hat:.3f}, and the {_alike(diagnosis)}. {worth}."
    return (
        f"The two halves of the one chain agree: R-hat is at most {r_hat:.3f}. {worth}. Only several chains can tell"
        " whether another start leads elsewhere."
    )


def _undefined(diagnosis: Diagnosis) -> str:
    each = diagnosis.draws // (1 if diagnosis.chains > 1 else 2)
    reason = "there are too few draws"
    if each >= LEAST_DRAWS:
        reason = "all draws have the same log joint and numbers of clusters"
    one = "Several chains, such as 4, can confirm the answer"
    also = f"The {_alike(diagnosis)}" if diagnosis.chains > 1 else one
    return f"Convergence cannot be judged: {reason}. {also}."


def _alike(diagnosis: Diagnosis) -> str:
    ari = min(_least(diagnosis.row_ari), _least(diagnosis.column_ari))
    return f"adjusted Rand index between the consensus partitions of two chains is at least {_two(ari)}"


def _least(ari: Sequence[Sequence[float]]) -> float:
    return min(min(row) for row in ari)


def _two(value: float) -> str:
    return f"{round(value, 2) + 0.0:.2f}"
