"""What a verdict says in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from disnplbm.cli.flags import flag
from disnplbm.posterior.diagnostics import Convergence, Diagnosis
from disnplbm.posterior.verdict import Verdict
from disnplbm.report.wording import answers, badge, listed, no_draws, sentence, shown

APART = ((1.0, 0.62), (0.62, 1.0))
ALIKE = ((1.0, 0.98), (0.98, 1.0))


def trace(r_hat: float | None, agree: bool | None = False, name: str = "log_joint") -> Convergence:
    return Convergence(name, r_hat, 400.0, 300.0, agree)


def diagnosis(verdict: Verdict, *traces: Convergence, columns: tuple[tuple[float, ...], ...] = ALIKE) -> Diagnosis:
    agree = {"settled": True, "one_chain": True, "undefined": None}.get(verdict.kind, False)
    return Diagnosis(verdict.chains, 200, traces, ALIKE, columns, 0.0, 0.0, agree, verdict)


STUCK = Verdict("stuck", 2, rows="settled", columns="stuck", log_joint="stuck", r_hat=10.8, ari=0.62)
SHORT = Verdict("short", 2, rows="settled", columns="settled", log_joint="short", r_hat=1.018)
SETTLED = Verdict("settled", 2, rows="settled", columns="settled", log_joint="settled")


def test_stuck_chains_are_told_where_and_what_to_try_and_rows_get_their_due() -> None:
    assert sentence(diagnosis(STUCK, trace(10.8), trace(None, name="column_clusters"), columns=APART), 400) == (
        "Not settled: the chains are stuck on different answers (columns and log joint). R-hat of the log joint is"
        " 10.800; each chain keeps to its own number of column clusters; the adjusted Rand index of the columns between"
        " two chains is down to 0.62. The rows are settled: the adjusted Rand index between chains is at least 0.98."
        " More iterations alone hardly help: try a crossed start, the other sampler (split-merge or collapsed), or more"
        " restarts."
    )


def test_short_chains_are_told_how_much_longer() -> None:
    assert sentence(diagnosis(SHORT, trace(1.018)), 400) == (
        "Not settled: the chains differ, but overlap. R-hat of the log joint is 1.018. The rows and columns are"
        " settled: the adjusted Rand index between chains is at least 0.98. Run them twice as long: 800 iterations, 400"
        " of them burn-in."
    )
    far = sentence(diagnosis(replace(SHORT, r_hat=1.4), trace(1.4)), 400)
    assert far.endswith("Run them at least four times as long: 1,600 iterations, 800 of them burn-in.")
    alone = sentence(diagnosis(replace(SHORT, chains=1), trace(1.018)), 75)
    assert alone.startswith("Not settled: the two halves of the chain differ. ")
    assert alone.endswith("Run it twice as long: 150 iterations, 75 of them burn-in.")


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_an_axis_that_is_not_settled_is_not_said_to_be_beside_that(axis: str) -> None:
    """The consensus of two chains may be the same while their numbers of clusters still differ."""
    other = "columns" if axis == "rows" else "rows"
    verdict = replace(SHORT, **{axis: "short", "log_joint": "settled"})
    said = sentence(diagnosis(verdict, trace(1.018, name=f"{axis.removesuffix('s')}_clusters")), 400)
    assert f"The {other} are settled" in said
    assert f"The consensus of the {axis} hardly differs between the chains (the adjusted Rand index" in said
    assert "agree" not in said
    assert badge(verdict.to_dict()) == f"not settled: {axis}, R-hat 1.018"


def test_chains_that_agree_are_told_by_how_much() -> None:
    assert sentence(diagnosis(SETTLED, trace(1.002, agree=True)), 400) == (
        "The chains agree: R-hat is at most 1.002, and the adjusted Rand index between the consensus partitions of two"
        " chains is at least 0.98. The draws are worth at least 300 independent ones."
    )
    few = replace(trace(1.002, agree=True), ess_tail=30.0)
    assert "at least 30 independent ones. These are few" in sentence(diagnosis(SETTLED, few), 400)
    one = sentence(diagnosis(Verdict("one_chain", 1), trace(1.002, agree=True)), 400)
    assert one.startswith("The two halves of the one chain agree")
    assert one.endswith("Only several chains can tell whether another start leads elsewhere.")


@pytest.mark.parametrize(
    ("chains", "draws", "reason"),
    [(1, 1, "few"), (1, 7, "few"), (2, 3, "few"), (1, 8, "the same log joint"), (2, 4, "the same log joint")],
)
def test_what_cannot_be_judged_says_why(chains: int, draws: int, reason: str) -> None:
    found = replace(diagnosis(Verdict("undefined", chains), trace(None, agree=None)), draws=draws)
    assert sentence(found, 20).startswith("Convergence cannot be judged: ")
    assert reason in sentence(found, 20)


def test_the_badge_names_the_axes_and_the_figure() -> None:
    assert badge(STUCK.to_dict()) == "not settled: columns and log joint, R-hat 10.8"
    assert badge(SHORT.to_dict()) == "not settled: log joint, R-hat 1.018"
    assert badge(replace(STUCK, r_hat=None).to_dict()) == (
        "not settled: columns and log joint, ARI between chains 0.62"
    )
    assert badge(replace(STUCK, columns="short", r_hat=None).to_dict()) == "not settled: log joint"
    assert badge(replace(STUCK, r_hat=None, ari=None).to_dict()) == "not settled: columns and log joint"
    for kind in ("settled", "undefined", "one_chain", "no_draws"):
        assert badge(Verdict(kind, 2).to_dict()) is None


def test_what_is_shown_is_told_where_it_is_not_the_consensus_of_all() -> None:
    def told(chains: list[int], rows: str, columns: str) -> str:
        return shown({"chains": chains, "partition": {"rows": rows, "columns": columns}}, 2)

    assert told([0, 1], "consensus", "consensus") == told([0, 1], "given", "given") == ""
    assert told([1], "consensus", "consensus") == (
        "The result comes from chain 1 alone: it has the highest mean log joint."
    )
    assert told([1], "given", "given") == "The result comes from chain 1 alone."
    assert told([0, 1], "consensus", "draw") == (
        "The columns come from one draw, the nearest to all draws: a consensus would have a number of clusters that no"
        " draw has."
    )


def test_each_chain_has_a_line() -> None:
    def of(chain: int, *, reported: bool) -> dict[str, object]:
        figures = {"mean_log_joint": -1234.5 - chain, "row_ari": 1.0, "column_ari": 0.62}
        return {"chain": chain, "reported": reported, "row_clusters": 22, "column_clusters": 131 + chain, **figures}

    assert answers({"chains": [0], "answers": [of(0, reported=True), of(1, reported=False)]}) == [
        "22 x 131, mean log joint -1,234.5; this is the result",
        "22 x 132, mean log joint -1,235.5; ARI with the result: rows 1.00, columns 0.62",
    ]


def test_a_last_state_is_called_what_it_is() -> None:
    assert "one chain" in no_draws(1)
    assert "the first of 4 chains" in no_draws(4)
    for chains in (1, 4):
        assert "`predict` and `impute` need them" in no_draws(chains)
        assert "add --burn-in 100" in no_draws(chains).said(flag)


def test_nouns_are_listed() -> None:
    assert [listed(nouns) for nouns in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]
