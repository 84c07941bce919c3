"""Which draws a report comes from: all, or the draws of the chain that fits best."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from disnplbm.posterior.answers import answers
from disnplbm.posterior.draws import Draw, Draws
from disnplbm.posterior.summary import summarise_draws

from .draw_samples import draw_of, meta_of, table

VALUES = table(60, 12, 1)
META = meta_of(VALUES)
ROWS, CROSSED = np.arange(60) % 3, np.arange(60) // 20
COLUMNS, OTHER_COLUMNS = np.arange(12) % 2, np.arange(12) // 6


def chain(number: int, rows: np.ndarray, columns: np.ndarray, level: float = 0.0, noise: float = 0.05) -> list[Draw]:
    """Thirty draws around two partitions, their log joints around a level."""
    rng = np.random.default_rng(number)

    def near(base: np.ndarray) -> np.ndarray:
        other = rng.integers(0, int(base.max()) + 2, len(base))
        return np.where(rng.random(len(base)) < noise, other, base)

    return [
        replace(draw_of(VALUES, META, near(rows), near(columns), i + 1, number), log_joint=level + rng.normal())
        for i in range(30)
    ]


def draws(*chains: list[Draw]) -> Draws:
    return Draws.of((draw for one in chains for draw in one), META)


def test_chains_of_one_answer_are_taken_together() -> None:
    found = answers(draws(chain(0, ROWS, COLUMNS), chain(1, ROWS, COLUMNS)), "vi")
    assert found.together is not None
    assert found.best.chains == (0, 1)
    assert len(found.best.draws) == 60
    assert found.diagnosis.verdict.kind in ("settled", "short")


def test_of_chains_stuck_on_different_answers_the_one_of_the_highest_log_joint_is_shown() -> None:
    stuck = draws(chain(0, ROWS, COLUMNS, -900.0), chain(1, CROSSED, COLUMNS, -500.0), chain(2, ROWS, COLUMNS, -700.0))
    found = answers(stuck, "vi")
    assert found.diagnosis.verdict.kind == "stuck"
    assert found.together is None
    assert found.best.chains == (1,)
    np.testing.assert_array_equal(found.best.rows.labels, CROSSED)
    beside = found.compared(found.best)
    assert [(one["chain"], one["reported"]) for one in beside] == [(0, False), (1, True), (2, False)]
    assert [one["row_ari"] for one in beside] == pytest.approx([0.0, 1.0, 0.0], abs=0.1)
    assert [one["column_ari"] for one in beside] == pytest.approx([1.0, 1.0, 1.0])
    assert beside[1]["mean_log_joint"] == pytest.approx(-500.0, abs=1.0)


def test_rows_that_agree_get_their_due_where_columns_do_not() -> None:
    found = answers(draws(chain(0, ROWS, COLUMNS), chain(1, ROWS, OTHER_COLUMNS)), "vi").diagnosis
    assert found.verdict.columns == "stuck"
    assert found.verdict.rows in ("settled", "short")
    assert found.row_ari[0][1] > 0.95
    assert found.verdict.ari == found.column_ari[0][1] < 0.1


def test_all_that_is_said_comes_from_the_draws_of_the_chain_that_is_shown() -> None:
    kept = draws(chain(0, ROWS, COLUMNS, -900.0), chain(1, CROSSED, COLUMNS, -500.0))
    whole = summarise_draws(kept, np.random.default_rng(0), None)
    alone = summarise_draws(kept.select(np.arange(30, 60)), np.random.default_rng(0), None)
    assert (whole.n_draws, whole.reported.chains) == (30, (1,))
    assert whole.numbers == alone.numbers
    np.testing.assert_array_equal(whole.rows.confidence, alone.rows.confidence)
    np.testing.assert_array_equal(whole.blocks.centre.low, alone.blocks.centre.low)
    assert (whole.rows.runner_up, whole.columns.runner_up) == (None, None)


def test_a_given_draw_is_judged_by_its_own_chain() -> None:
    kept = draws(chain(0, ROWS, COLUMNS, -900.0), chain(1, CROSSED, COLUMNS, -500.0))
    given = kept[0].row_labels.astype(np.int32), kept[0].column_labels.astype(np.int32), 0
    found = summarise_draws(kept, np.random.default_rng(0), given)
    assert (found.reported.chains, found.rows.kind) == ((0,), "given")
    assert found.rows.confidence.mean() > 0.8


def test_numbers_of_clusters_lie_within_those_of_the_draws_they_come_from() -> None:
    kept = draws(chain(0, ROWS, COLUMNS, noise=0.3), chain(1, CROSSED, OTHER_COLUMNS, noise=0.3))
    found = summarise_draws(kept, np.random.default_rng(0), None)
    numbers = found.reported.draws.numbers()
    assert numbers.row_clusters.min() <= found.rows.labels.max() + 1 <= numbers.row_clusters.max()
    assert numbers.column_clusters.min() <= found.columns.labels.max() + 1 <= numbers.column_clusters.max()
