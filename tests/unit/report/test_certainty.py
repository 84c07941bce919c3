"""What the draws say: estimate, posterior of K and L, convergence, confidence, intervals."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from disnplbm.errors import InputError
from disnplbm.notes import from_plain
from disnplbm.report.certainty import MAX_BARS, MAX_PAIRS, pair_bars, share_bars
from disnplbm.report.html import render_report
from unit.report.test_document import document_of
from unit.report.test_pixels import decoded


def document(samples: ModuleType, folder: Path, *, drawn: bool = True, dimension: int = 1, **options: object) -> Any:
    """Of 60 x 12 cells in 4 x 3 blocks, all of whose cells are 10 k + l (+ 100 a component)."""
    rows, columns = np.arange(60) % 4, np.arange(12) % 3
    values = (10.0 * rows[:, None] + columns)[..., None] + 100.0 * np.arange(dimension)
    names = [f"sample <{i}>" for i in range(60)][::-1]
    samples.write_run_folder(folder, values, rows, columns, row_names=names)
    if drawn:
        samples.add_draws(folder, **options)
    return document_of(folder)


def bars(found: list[dict[str, Any]]) -> list[tuple[str, float, bool]]:
    return [(bar["label"], bar["share"], bar["reported"]) for bar in found]


def test_a_run_without_draws_says_nothing_of_them(samples: ModuleType, tmp_path: Path) -> None:
    found = document(samples, tmp_path / "run", drawn=False)
    assert found["certainty"] is None
    assert str(from_plain(found["estimate"])).startswith("This is the last state of one chain, and")
    assert found["blocks"]["tables"][0]["posterior"] is None
    assert {each["confidence"] for each in found["sizes"]["rows"]} == {None}
    assert len(found["traces"]["lines"]["log_joint"]["chains"]) == 1


def test_the_estimate_says_of_which_draws_and_chains(samples: ModuleType, tmp_path: Path) -> None:
    assert document(samples, tmp_path / "run")["estimate"] == "Consensus partition, from 400 draws of 2 chains"
    stuck = document(samples, tmp_path / "stuck", agree=False)
    assert stuck["estimate"] == "Consensus partition, from 200 draws of chain 0 of 2"
    assert stuck["certainty"]["shown"] == "The result comes from chain 0 alone."


def test_the_posterior_of_the_numbers_of_clusters_is_there(samples: ModuleType, tmp_path: Path) -> None:
    numbers = document(samples, tmp_path / "run")["certainty"]["numbers"]
    assert bars(numbers["rows"]) == [("4", 0.625, True), ("5", 0.25, False), ("11", 0.125, False)]
    assert bars(numbers["columns"]) == [("3", 1.0, True)]
    assert bars(numbers["both"]) == [("4 × 3", 0.625, True), ("5 × 3", 0.25, False), ("11 × 3", 0.125, False)]


def test_pairs_stand_likeliest_first_and_the_rest_is_summed() -> None:
    found = bars(pair_bars({f"{k} x 2": k / 55 for k in range(1, 11)}, "9 x 2"))
    assert [label for label, _, _ in found] == [*(f"{k} × 2" for k in range(10, 10 - MAX_PAIRS, -1)), "others"]
    assert [label for label, _, reported in found if reported] == ["9 × 2"]
    assert found[-1][1] == pytest.approx(3 / 55)


def test_many_numbers_of_clusters_keep_the_likeliest_and_sum_the_rest() -> None:
    weights = {str(k): float(k) for k in range(1, MAX_BARS + 4)}
    total = sum(weights.values())
    found = bars(share_bars({k: weight / total for k, weight in weights.items()}, reported=5))
    assert [label for label, _, _ in found] == [*(str(k) for k in range(4, MAX_BARS + 4)), "others"]
    assert found[-1][1] == pytest.approx(6 / total)
    assert [label for label, _, reported in found if reported] == ["5"]


@pytest.mark.parametrize(("agree", "doubtful"), [(True, False), (False, True), (None, False)])
def test_only_chains_that_disagree_are_doubtful(
    samples: ModuleType, tmp_path: Path, agree: bool | None, doubtful: bool
) -> None:
    found = document(samples, tmp_path / "run", agree=agree)
    assert found["certainty"]["sentence"] == "A sentence on the chains."
    assert found["certainty"]["doubtful"] is doubtful
    assert (found["run"]["verdict"]["kind"] in ("short", "stuck")) is doubtful


def test_what_each_chain_found_stands_beside_what_is_shown(samples: ModuleType, tmp_path: Path) -> None:
    stuck = document(samples, tmp_path / "run", agree=False)["certainty"]["answers"]
    names = ("chain", "row_clusters", "column_clusters", "mean_log_joint", "row_ari", "column_ari", "shown")
    assert [[answer[name] for name in names] for answer in stuck] == [
        [0, 4, 3, -100.0, 1.0, 1.0, True],
        [1, 4, 3, -600.0, 1.0, 0.7, False],
    ]
    settled = document(samples, tmp_path / "other")["certainty"]["answers"]
    assert [answer["shown"] for answer in settled] == [False, False]


def test_every_chain_has_a_line(samples: ModuleType, tmp_path: Path) -> None:
    first, second = document(samples, tmp_path / "run")["traces"]["lines"]["log_joint"]["chains"]
    np.testing.assert_allclose(np.array(first) - np.array(second), 500.0)


def test_clusters_and_items_are_shown_against_each_other(samples: ModuleType, tmp_path: Path) -> None:
    rows, columns = document(samples, tmp_path / "run")["certainty"]["axes"]
    assert rows["clusters"] == [[0.75 if a == b else 0.25 for b in range(4)] for a in range(4)]
    assert (rows["total"], columns["total"], len(columns["clusters"])) == (4, 3, 3)
    picture = decoded(rows["picture"]["image"]).reshape(60, 60)
    same = np.repeat(np.arange(4), 15)[:, None] == np.repeat(np.arange(4), 15)
    expected = np.where(same, 0.75, 0.25)
    np.fill_diagonal(expected, 1.0)
    np.testing.assert_allclose(picture, expected, atol=0.003)
    assert rows["picture"]["items"]["borders"] == [0, 15, 30, 45, 60]


def test_a_run_without_its_matrices_is_refused(samples: ModuleType, tmp_path: Path, report_page: Path) -> None:
    document(samples, tmp_path / "run")
    np.savez(
        tmp_path / "run" / "similarity.npz",
        draws=np.array(400),
        row_clusters=np.zeros((2, 2)),
        column_clusters=np.zeros((3, 3)),
    )
    with pytest.raises(InputError, match=r"similarity\.npz: does not fit rows\.csv"):
        render_report(tmp_path / "run")
    (tmp_path / "run" / "similarity.npz").unlink()
    with pytest.raises(InputError, match=r"similarity\.npz: there is none"):
        render_report(tmp_path / "run")


def test_a_runner_up_gets_a_sentence_and_none_where_there_is_none(samples: ModuleType, tmp_path: Path) -> None:
    rows, columns = document(samples, tmp_path / "run")["certainty"]["axes"]
    assert rows["runner_up"] is None
    assert columns["runner_up"] == (
        "The draws hold a second answer for the columns: 19.0% of them are nearer to a partition into 4 clusters, "
        "which places 7.7% of the columns differently. It is the column runner_up of columns.csv."
    )
    without = document(samples, tmp_path / "other", runner_up=False)
    assert [axis["runner_up"] for axis in without["certainty"]["axes"]] == [None, None]


def test_the_ten_least_sure_items_are_named_least_first(samples: ModuleType, tmp_path: Path) -> None:
    rows, columns = document(samples, tmp_path / "run")["certainty"]["axes"]
    assert [each["name"] for each in rows["least_sure"]] == [f"sample <{i}>" for i in range(10)]
    assert [each["label"] for each in rows["least_sure"]] == [(59 - i) % 4 for i in range(10)]
    assert rows["least_sure"][0]["confidence"] == pytest.approx(0.941)
    assert len(columns["least_sure"]) == 10
    assert (rows["mean_confidence"], columns["mean_confidence"]) == (0.759, 0.956)


def test_clusters_say_how_sure_their_members_are(samples: ModuleType, tmp_path: Path) -> None:
    sizes = document(samples, tmp_path / "run")["sizes"]
    for axis, items in (("rows", 60), ("columns", 12)):
        clusters = len(sizes[axis])
        expected = [1 - np.arange(label, items, clusters).mean() / 1000 for label in range(clusters)]
        assert [each["confidence"] for each in sizes[axis]] == pytest.approx(expected)


def test_names_of_the_least_sure_are_escaped(samples: ModuleType, tmp_path: Path, report_page: Path) -> None:
    document(samples, tmp_path / "run")
    assert "sample <0>" not in render_report(tmp_path / "run").read_text(encoding="utf-8")


@pytest.mark.parametrize("dimension", [1, 2])
def test_blocks_have_the_posterior_mean_and_its_interval(samples: ModuleType, tmp_path: Path, dimension: int) -> None:
    found = document(samples, tmp_path / "run", dimension=dimension)
    assert len(found["blocks"]["tables"]) == dimension
    for component, table in enumerate(found["blocks"]["tables"]):
        own = 100.0 * component + np.array([[10 * k + l for l in range(3)] for k in range(4)])  # noqa: E741
        for name, centre in (("mean", own), ("sd", np.zeros((4, 3)))):
            np.testing.assert_allclose(table[name], centre, atol=1e-6)
            for part, shift in (("mean", 5), ("low", -5), ("high", 15)):
                np.testing.assert_allclose(table["posterior"][name][part], centre + shift, atol=1e-6)
        assert np.array(table["odd"]).all()
    read_out = found["matrix"]["blocks"]
    assert read_out["mean"] == found["blocks"]["tables"][0]["posterior"]["mean"]["mean"]
    assert read_out["intervals"]["sd"][1] == found["blocks"]["tables"][0]["posterior"]["sd"]["high"]
