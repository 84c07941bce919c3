"""The page of a run folder: self-contained, the same for the same folder, safe from names."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from disnplbm.errors import InputError, RunError
from disnplbm.report import page as pages
from disnplbm.report.html import render_report
from unit.report.test_document import write

pytestmark = pytest.mark.usefixtures("report_page")


def document_in(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="document">(.*?)</script>', page, re.S)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_the_page_says_without_scripts_what_was_found(samples: ModuleType, tmp_path: Path) -> None:
    folder = write(
        samples, tmp_path / "run", scores={"ari": 0.987, "column_ari": 1.0}, warnings=("column a is constant",)
    )
    path = render_report(folder)
    page = path.read_text(encoding="utf-8")
    assert path == folder / "report.html"
    assert "<title>sample: 4 × 3 clusters</title>" in page
    shown = page.split("<noscript>")[1].split("</noscript>")[0]
    for text in (
        "<h1>sample</h1>",
        "60 rows × 12 columns → 4 row clusters × 3 column clusters",
        "ARI 0.987, column ARI 1.000",
        "column a is constant",
        "3f9a6c1e",
        "This is the last state of one chain, and the run kept no draws",
    ):
        assert text in shown
    assert "block ARI" not in shown


@pytest.mark.parametrize(("n", "p"), [(1, 1), (1, 5), (5, 1), (2, 1)])
def test_the_smallest_tables_have_a_page(samples: ModuleType, tmp_path: Path, n: int, p: int) -> None:
    page = render_report(write(samples, tmp_path / "run", n, p, iterations=1)).read_text(encoding="utf-8")
    assert f"{n} row{'s' if n > 1 else ''} × {p} column{'s' if p > 1 else ''}" in page


def test_the_same_folder_gives_the_same_bytes(samples: ModuleType, tmp_path: Path) -> None:
    folder = write(samples, tmp_path / "run")
    first = render_report(folder).read_bytes()
    assert render_report(folder).read_bytes() == first
    assert [path.name for path in folder.iterdir() if path.name.endswith(".part")] == []


def test_names_cannot_inject_markup(samples: ModuleType, tmp_path: Path) -> None:
    evil = "</script><img src=x onerror=alert(1)>"
    folder = write(samples, tmp_path / "run", name=evil, column_names=[evil] * 12, warnings=(evil,))
    page = render_report(folder).read_text(encoding="utf-8")
    assert "<img" not in page
    assert page.count("</script>") == 2
    assert document_in(page)["matrix"]["original"]["columns"]["first"] == [evil] * 12


def test_a_name_that_is_a_place_of_the_page_stays_a_name(samples: ModuleType, tmp_path: Path) -> None:
    name = "<!-- document --><title>disnplbm</title>"
    page = render_report(write(samples, tmp_path / "run", name=name)).read_text(encoding="utf-8")
    assert document_in(page)["run"]["name"] == name
    assert page.count('id="document"') == page.count("<title>") == 1


def test_without_the_built_page_one_line_says_how_to_build_it(
    samples: ModuleType, tmp_path: Path, report_page: Path
) -> None:
    folder = write(samples, tmp_path / "run")
    report_page.unlink()
    assert not pages.is_built()
    with pytest.raises(RunError, match="the page of the report is not built: `make pages` builds it"):
        render_report(folder)
    assert not (folder / "report.html").exists()


def test_a_page_of_another_version_is_refused(samples: ModuleType, tmp_path: Path, report_page: Path) -> None:
    report_page.write_text("<html><title>disnplbm</title></html>")
    with pytest.raises(RunError, match="build it anew with `make pages`"):
        render_report(write(samples, tmp_path / "run"))


@pytest.mark.parametrize("name", ["run.json", "rows.csv", "columns.csv", "blocks.csv", "trace.csv", "heatmap.npz"])
def test_a_missing_file_is_named(samples: ModuleType, tmp_path: Path, name: str) -> None:
    folder = write(samples, tmp_path / "run")
    (folder / name).unlink()
    with pytest.raises(InputError, match=re.escape(name)):
        render_report(folder)


@pytest.mark.parametrize(("column", "value"), [("k", "-1"), ("l", "9"), ("cells", "x"), ("mean", "x"), ("k", "\udcff")])
def test_blocks_that_cannot_be_are_named(samples: ModuleType, tmp_path: Path, column: str, value: str) -> None:
    folder = write(samples, tmp_path / "run")
    head, first, *rest = (folder / "blocks.csv").read_text().splitlines()
    cells = dict(zip(head.split(","), first.split(","), strict=True)) | {column: value}
    text = "\n".join([head, ",".join(cells.values()), *rest])
    (folder / "blocks.csv").write_text(text, errors="surrogateescape")
    with pytest.raises(InputError, match=re.escape("blocks.csv")):
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
