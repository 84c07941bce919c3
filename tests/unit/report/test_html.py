"""The page: complete, self-contained, and a pure function of the run folder."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from disnplbm.errors import InputError
from disnplbm.report.html import render_report


def write(samples: ModuleType, folder: Path, n: int = 60, p: int = 12, **options: object) -> Path:
    rows, columns = np.arange(n) % min(n, 4), np.arange(p) % min(p, 3)
    written: Path = samples.write_run_folder(folder, samples.block_matrix(rows, columns), rows, columns, **options)
    return written


def figure(page: str) -> dict[str, object]:
    found = re.search(r'<script type="application/json" id="figure-data">(.*?)</script>', page, re.S)
    assert found is not None
    data: dict[str, object] = json.loads(found[1])
    return data


def test_the_page_shows_shape_clusters_scores_and_digest(samples: ModuleType, tmp_path: Path) -> None:
    folder = write(
        samples, tmp_path / "run", scores={"ari": 0.987, "column_ari": 1.0}, warnings=("column a is constant",)
    )
    path = render_report(folder)
    page = path.read_text(encoding="utf-8")
    assert path == folder / "report.html"
    for text in (
        "60 rows × 12 columns",
        "4 row clusters × 3 column clusters",
        "0.987",
        "column a is constant",
        "3f9a6c1e",
    ):
        assert text in page
    assert "Row ARI" in page
    assert "Block ARI" not in page


def test_the_same_folder_gives_the_same_bytes(samples: ModuleType, tmp_path: Path) -> None:
    folder = write(samples, tmp_path / "run")
    first = render_report(folder).read_bytes()
    assert render_report(folder).read_bytes() == first
    assert [path.name for path in folder.iterdir() if path.name.endswith(".part")] == []


def test_the_page_names_no_other_address(samples: ModuleType, tmp_path: Path) -> None:
    page = render_report(write(samples, tmp_path / "run")).read_text(encoding="utf-8")
    assert re.findall(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}", page) == []
    assert re.findall(r'(?:src|href)="(?!data:)[^"]*"', page) == []


def test_names_cannot_inject_markup(samples: ModuleType, tmp_path: Path) -> None:
    evil = "</script><img src=x onerror=alert(1)>"
    folder = write(samples, tmp_path / "run", name=evil, column_names=[evil] * 12, warnings=(evil,))
    page = render_report(folder).read_text(encoding="utf-8")
    assert "<img" not in page
    assert page.count("</script>") == 2
    columns = figure(page)["views"]["original"]["columns"]  # type: ignore[index]
    assert columns["first"] == [evil] * 12


def test_the_reordered_picture_in_the_page_is_the_sorted_matrix(samples: ModuleType, tmp_path: Path) -> None:
    rows, columns = np.arange(60) % 4, np.arange(12) % 3
    means = np.arange(12.0).reshape(4, 3)
    folder = samples.write_run_folder(tmp_path / "run", means[rows][:, columns], rows, columns)
    data = figure(render_report(folder).read_text(encoding="utf-8"))
    levels = np.frombuffer(base64.b64decode(data["views"]["reordered"]["levels"]["mean"]), dtype=np.uint8)  # type: ignore[index]
    values = np.array(data["scales"]["mean"]["values"])[levels].reshape(60, 12)  # type: ignore[index]
    np.testing.assert_allclose(values, np.repeat(np.repeat(means, 15, axis=0), 4, axis=1), atol=0.05)


def test_every_block_is_in_the_table_with_mean_and_spread(samples: ModuleType, tmp_path: Path) -> None:
    page = render_report(write(samples, tmp_path / "run")).read_text(encoding="utf-8")
    found = re.findall(r'<td class="\w+ q\d+" title="60 cells; skewness [^"]+"><b>[^<]+</b><i>± [^<]+</i></td>', page)
    assert len(found) == 12


def test_blocks_that_are_plainly_not_normal_are_marked_and_counted(samples: ModuleType, tmp_path: Path) -> None:
    rows, columns = np.arange(200) % 2, np.arange(10) % 2
    values = samples.block_matrix(rows, columns)
    values[np.ix_(rows == 1, columns == 0)] = np.random.default_rng(0).exponential(size=(100, 5))
    page = render_report(samples.write_run_folder(tmp_path / "run", values, rows, columns)).read_text(encoding="utf-8")
    assert "† 1 of the 4 blocks with at least 20 cells (25% of the cells) is plainly not normal" in page
    assert len(re.findall("<b>† ", page)) == 1
    plain = render_report(write(samples, tmp_path / "plain")).read_text(encoding="utf-8")
    assert "All 12 blocks with at least 20 cells look normal." in plain
    assert "†" not in plain


def test_captions_of_traces_are_of_what_is_reported(samples: ModuleType, tmp_path: Path) -> None:
    folder = write(samples, tmp_path / "run")
    run = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(run | {"estimate": "consensus", "log_joint": -77.25}))
    page = render_report(folder).read_text(encoding="utf-8")
    assert re.findall(r'data-rest="([^"]*)"', page)[:3] == ["consensus −77.2", "consensus 4", "consensus 3"]


def test_every_component_of_vector_cells_has_its_table(samples: ModuleType, tmp_path: Path) -> None:
    rows, columns = np.arange(30) % 3, np.arange(8) % 2
    values = np.stack([samples.block_matrix(rows, columns, seed=seed) for seed in range(3)], axis=-1)
    page = render_report(samples.write_run_folder(tmp_path / "run", values, rows, columns)).read_text(encoding="utf-8")
    assert "first of 3 components" in page
    assert [f"Component {c}</caption>" in page for c in range(4)] == [True, True, True, False]


@pytest.mark.parametrize(("n", "p"), [(1, 1), (1, 5), (5, 1), (2, 1)])
def test_the_smallest_tables_have_a_report(samples: ModuleType, tmp_path: Path, n: int, p: int) -> None:
    page = render_report(write(samples, tmp_path / "run", n, p, iterations=1)).read_text(encoding="utf-8")
    assert f"{n} row{'s' if n > 1 else ''} × {p} column{'s' if p > 1 else ''}" in page


def test_missing_cells_and_blocks_are_told_apart(samples: ModuleType, tmp_path: Path) -> None:
    rows, columns = np.arange(40) % 2, np.array([0, 0, 1])
    values = samples.block_matrix(rows, columns)
    values[:, 2] = np.nan
    page = render_report(samples.write_run_folder(tmp_path / "run", values, rows, columns)).read_text(encoding="utf-8")
    assert page.count('<td class="empty" title="0 cells"><b>–</b>') == 2
    assert "</i>missing</span>" in page


def test_a_table_of_many_clusters_shows_the_largest_and_says_so(samples: ModuleType, tmp_path: Path) -> None:
    rows, columns = np.arange(900) % 700, np.arange(5) % 5
    folder = samples.write_run_folder(tmp_path / "run", samples.block_matrix(rows, columns), rows, columns)
    page = render_report(folder).read_text(encoding="utf-8")
    assert "the 60 largest of 700 row clusters" in page
    assert "700 row clusters, the 500 largest" in page


@pytest.mark.parametrize("name", ["run.json", "rows.csv", "columns.csv", "blocks.csv", "trace.csv", "heatmap.npz"])
def test_a_missing_file_is_named(samples: ModuleType, tmp_path: Path, name: str) -> None:
    folder = write(samples, tmp_path / "run")
    (folder / name).unlink()
    with pytest.raises(InputError, match=re.escape(name)):
        render_report(folder)


def test_a_folder_that_mixes_two_runs_is_refused(samples: ModuleType, tmp_path: Path) -> None:
    folder = write(samples, tmp_path / "run")
    other = write(samples, tmp_path / "other", n=80)
    (other / "heatmap.npz").rename(folder / "heatmap.npz")
    with pytest.raises(InputError, match=r"heatmap.npz hold 80 x 12 items, but run.json says 60 x 12"):
        render_report(folder)


def test_a_run_of_another_version_is_refused(samples: ModuleType, tmp_path: Path) -> None:
    folder = write(samples, tmp_path / "run")
    run = json.loads((folder / "run.json").read_text())
    del run["digest"]
    (folder / "run.json").write_text(json.dumps(run))
    with pytest.raises(InputError, match="'digest' is missing"):
        render_report(folder)


def test_names_that_look_like_other_types_stay_as_they_are(samples: ModuleType, tmp_path: Path) -> None:
    names = ["NA", "", "null", "1e5", "007", "true", 'say "x"', "a,b", "two\nlines", "é", "-", "0.10"]
    page = render_report(write(samples, tmp_path / "run", column_names=names)).read_text(encoding="utf-8")
    assert figure(page)["views"]["original"]["columns"]["first"] == names  # type: ignore[index]
