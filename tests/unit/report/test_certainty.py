"""What the draws say, on the page: estimate, posterior of K and L, convergence, confidence, intervals."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from disnplbm.errors import InputError
from disnplbm.report.certainty import MAX_BARS, pair_bars, share_bars
from disnplbm.report.html import render_report


def page_of(samples: ModuleType, folder: Path, *, drawn: bool = True, dimension: int = 1, **options: object) -> str:
    """The page of 60 x 12 cells in 4 x 3 blocks, all of whose cells are 10 k + l (+ 100 a component)."""
    rows, columns = np.arange(60) % 4, np.arange(12) % 3
    values = (10.0 * rows[:, None] + columns)[..., None] + 100.0 * np.arange(dimension)
    names = [f"sample <{i}>" for i in range(60)][::-1]
    samples.write_run_folder(folder, values, rows, columns, row_names=names)
    if drawn:
        samples.add_draws(folder, **options)
    return html.unescape(render_report(folder).read_text(encoding="utf-8"))


def table(page: str, caption: str) -> list[list[str]]:
    """Texts of the cells below a caption, markup left out."""
    found = re.search(rf"<caption>{caption}.*?</table>", page, re.S)
    assert found is not None
    body = found[0].split("<tbody>")[1]
    return [
        [re.sub(r"</?(?:th|td|small|span)\b[^>]*>", "", cell).strip() for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]
        for row in re.findall(r"<tr>.*?</tr>", body, re.S)
    ]


def test_a_run_without_draws_says_nothing_of_them(samples: ModuleType, tmp_path: Path) -> None:
    page = page_of(samples, tmp_path / "run", drawn=False)
    for text in ("How sure it is", "95 % interval", "not defined", "not settled"):
        assert text not in page
    assert '<p class="estimate">Shown is the last state of one chain. No draws were kept' in page
    assert "mean ± standard deviation" in page


def test_the_estimate_draws_and_chains_stand_under_the_head_line(samples: ModuleType, tmp_path: Path) -> None:
    page = page_of(samples, tmp_path / "run")
    assert '<p class="estimate">Consensus partition, from 400 draws of 2 chains</p>' in page


def test_the_posterior_of_both_numbers_of_clusters_is_drawn(samples: ModuleType, tmp_path: Path) -> None:
    page = page_of(samples, tmp_path / "run")
    assert table(page, "Number of row clusters K") == [
        ["4", "62.5%", "shown in this report"],
        ["5", "25.0%", ""],
        ["11", "12.5%", ""],
    ]
    assert table(page, "Number of column clusters L") == [["3", "100.0%", "shown in this report"]]
    widths = re.findall(r"width:([\d.]+)%", page.split("<caption>Number of row")[1].split("</table>")[0])
    assert widths == ["100.00", "40.00", "20.00"]


def test_the_posterior_of_both_numbers_together_is_drawn_likeliest_first(samples: ModuleType, tmp_path: Path) -> None:
    page = page_of(samples, tmp_path / "run")
    assert table(page, "Both together K × L") == [
        ["4 × 3", "62.5%", "shown in this report"],
        ["5 × 3", "25.0%", ""],
        ["11 × 3", "12.5%", ""],
    ]
    bars = pair_bars({f"{k} x 2": k / 55 for k in range(1, 11)}, "9 x 2")
    assert [bar.label for bar in bars] == [*(f"{k} × 2" for k in range(10, 2, -1)), "others"]
    assert [bar.label for bar in bars if bar.reported] == ["9 × 2"]
    assert bars[-1].share == f"{3 / 55:.1%}"


def test_many_numbers_of_clusters_keep_the_likeliest_and_sum_the_rest() -> None:
    weights = {str(k): float(k) for k in range(1, MAX_BARS + 4)}
    total = sum(weights.values())
    bars = share_bars({k: weight / total for k, weight in weights.items()}, reported=5)
    assert [bar.label for bar in bars] == [*(str(k) for k in range(4, MAX_BARS + 4)), "others"]
    assert bars[-1].share == f"{6 / total:.1%}"
    assert [bar.label for bar in bars if bar.reported] == ["5"]


@pytest.mark.parametrize(("agree", "amber"), [(True, False), (False, True), (None, False)])
def test_only_chains_that_disagree_are_amber(
    samples: ModuleType, tmp_path: Path, agree: bool | None, amber: bool
) -> None:
    page = page_of(samples, tmp_path / "run", agree=agree)
    found = re.search(r'<p class="verdict([^"]*)">A sentence on the chains.</p>', page)
    assert found is not None
    assert ("amber" in found[1]) == amber


def test_chains_that_disagree_are_told_once_in_full_and_in_short_at_the_top(
    samples: ModuleType, tmp_path: Path
) -> None:
    page = page_of(samples, tmp_path / "run", agree=False)
    assert page.count("A sentence on the chains.") == 1
    head = page.split("<main>")[0]
    assert '<a class="doubt" href="#sure-title">not settled: columns, R-hat 10.8</a>' in head
    assert "Consensus partition, from 200 draws of chain 0 of 2</p>" in head
    assert page.count("Shown: chain 0 alone.") == 1
    assert "not settled" not in page_of(samples, tmp_path / "other", agree=True)


def test_what_each_chain_found_stands_beside_what_is_shown(samples: ModuleType, tmp_path: Path) -> None:
    stuck = page_of(samples, tmp_path / "run", agree=False)
    assert table(stuck, "What each chain found") == [
        ["0 shown", "4 × 3", "−100.0", "1.00", "1.00"],
        ["1", "4 × 3", "−600.0", "1.00", "0.70"],
    ]
    assert [row[0] for row in table(page_of(samples, tmp_path / "other"), "What each chain found")] == ["0", "1"]


def test_every_chain_is_drawn(samples: ModuleType, tmp_path: Path) -> None:
    page = page_of(samples, tmp_path / "run")
    assert re.findall(r"</i>(chain \d)</span>", page) == ["chain 0", "chain 1"]
    chart = page.split('data-chart="log_joint"')[1].split("</figure>")[0]
    lines = [json.loads(found) for found in re.findall(r'data-points="([^"]*)"', chart)]
    assert [len(points) for points in lines] == [2, 2]
    first, second = (np.array(points)[:, 3] for points in lines[0])
    np.testing.assert_allclose(first - second, 500.0)
    assert "chain 0" not in page_of(samples, tmp_path / "other", drawn=False)


def test_clusters_are_shown_against_each_other(samples: ModuleType, tmp_path: Path) -> None:
    page = page_of(samples, tmp_path / "run")
    rows = table(page, "Row clusters")
    assert rows == [[f"<b>{a}</b>", *("0.75" if a == b else "0.25" for b in range(4))] for a in range(4)]
    assert len(table(page, "Column clusters")) == 3


def test_a_run_without_its_matrices_is_refused(samples: ModuleType, tmp_path: Path) -> None:
    page_of(samples, tmp_path / "run")
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


def test_figures_of_a_constant_trace_are_not_defined(samples: ModuleType, tmp_path: Path) -> None:
    page = page_of(samples, tmp_path / "run")
    assert table(page, "Convergence") == [
        ["Log joint", "1.004", "142", "151"],
        ["Column clusters L", "not defined", "not defined", "not defined"],
    ]


def test_a_runner_up_gets_a_sentence_and_none_where_there_is_none(samples: ModuleType, tmp_path: Path) -> None:
    page = page_of(samples, tmp_path / "run")
    assert re.findall(r'<p class="second">(.*?)</p>', page) == [
        "The draws hold a second answer for the columns: 19.0% of them are nearer to a partition into 4 clusters, "
        "which places 7.7% of the columns differently: runner_up in columns.csv."
    ]
    assert 'class="second"' not in page_of(samples, tmp_path / "other", runner_up=False)


def test_the_ten_least_sure_items_are_named_least_first(samples: ModuleType, tmp_path: Path) -> None:
    page = page_of(samples, tmp_path / "run")
    assert "Least sure rows <small>mean confidence 0.76</small>" in page
    assert "Least sure columns <small>mean confidence 0.96</small>" in page
    rows = table(page, "Least sure rows")
    assert [row[0] for row in rows] == [f"sample <{i}>" for i in range(10)]
    assert [row[1] for row in rows] == [str((59 - i) % 4) for i in range(10)]
    assert rows[0][2] == "0.94"
    assert len(table(page, "Least sure columns")) == 10


def test_names_of_the_least_sure_are_escaped(samples: ModuleType, tmp_path: Path) -> None:
    page_of(samples, tmp_path / "run")
    assert "sample <0>" not in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("dimension", [1, 2])
def test_blocks_show_the_posterior_mean_and_its_interval(samples: ModuleType, tmp_path: Path, dimension: int) -> None:
    page = page_of(samples, tmp_path / "run", dimension=dimension)
    number = r"([−\d.]+)"
    shown = re.findall(
        rf"<b>† {number}</b><i>{number} to {number}</i><i>± {number}</i><i>{number} to {number}</i>", page
    )
    expected = [100.0 * c + 10 * k + l for c in range(dimension) for k in range(4) for l in range(3)]  # noqa: E741
    numbers = np.array([[float(x.replace("−", "-")) for x in cell] for cell in shown])
    means = np.array(expected)[:, None]
    np.testing.assert_allclose(numbers[:, :3] - means, [[5, -5, 15]] * len(expected), atol=0.06)
    np.testing.assert_allclose(numbers[:, 3:], [[5, -5, 15]] * len(expected), atol=0.06)
    assert page.count("60 cells, ") == page.count("; all cells equal") == 12 * dimension


def test_the_shade_of_a_block_is_that_of_its_posterior_mean(samples: ModuleType, tmp_path: Path) -> None:
    shades = [
        re.findall(r'<td class="\w+ q(\d+)" title', page_of(samples, tmp_path / str(drawn), drawn=drawn))
        for drawn in (False, True)
    ]
    # In the sample the posterior means are 5 above those of the cells, which reach from 0 to 32.
    assert int(shades[1][3]) > int(shades[0][3])
