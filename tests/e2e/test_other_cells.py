"""Counts, yes and no, and categories: on the page that starts a run, on the page of a run, and in a report."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Page, expect

from e2e.built import grave
from e2e.pages import READY, Heatmap, path_of, run_of
from integration.serving import Server, served

pytestmark = pytest.mark.usefixtures("built_pages")

ROWS, COLUMNS = np.arange(120) % 3, np.arange(24) % 2

#: How many times the expected count the blocks have, about.
RATES = np.array([[2.0, 0.3], [0.4, 1.8], [1.0, 1.0]])


def csv_of(values: NDArray[np.int64]) -> bytes:
    """A table with a name for each row and column."""
    head = "id," + ",".join(f"c{j}" for j in range(values.shape[1]))
    return "\n".join([head, *(f"r{i}," + ",".join(map(str, row)) for i, row in enumerate(values)), ""]).encode()


def counts() -> NDArray[np.int64]:
    """More than half of them are 0; rows and columns are of different sizes."""
    rng = np.random.default_rng(3)
    sizes = np.outer(rng.gamma(3.0, 0.5, 120), rng.gamma(3.0, 0.5, 24))
    return np.asarray(rng.poisson(0.3 * sizes * RATES[ROWS][:, COLUMNS]))


def votes() -> NDArray[np.int64]:
    """In each block nine of ten cells are of one category."""
    rng = np.random.default_rng(4)
    own = np.array([[1, 2], [2, 3], [3, 1]])[ROWS][:, COLUMNS]
    return np.where(rng.random(own.shape) < 0.9, own, rng.integers(1, 4, own.shape))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served(tmp_path_factory.mktemp("served")) as started:
        yield started


@pytest.fixture(scope="module")
def run_of_counts(server: Server) -> str:
    """A finished run of counts."""
    return finished(server, counts(), "counts")


@pytest.fixture(scope="module")
def run_of_votes(server: Server) -> str:
    """A finished run of categories."""
    return finished(server, votes(), "categorical")


def finished(server: Server, values: NDArray[np.int64], cells: str) -> str:
    run = server.submit(server.upload(csv_of(values), f"{cells}.csv", id_column="id"), iterations=60, cells=cells)
    server.wait(run)
    return run


def open_run(visit: Callable[..., Page], server: Server, run: str, **more: object) -> Heatmap:
    page = visit(server, f"/runs/{run}", **more)
    page.wait_for_selector(READY)
    page.wait_for_selector(".block-table button")
    return Heatmap(page)


def test_factors_from_a_file_go_with_a_run_and_with_one_like_it(
    visit: Callable[..., Page], server: Server, tmp_path: Path
) -> None:
    dataset = server.upload(csv_of(counts()), "watched.csv", id_column="id")
    page = visit(server, f"/runs/new?dataset={dataset}&cells=counts&exposure=given&iterations=5", calm=False)
    files, odd = tmp_path / "sizes.csv", tmp_path / "odd.csv"
    files.write_text("".join(["id,size\n", *(f"r{i},{1 + i % 5}\n" for i in reversed(range(120)))]))
    odd.write_text("id,size\nr0,1\nr1,0\n")
    page.get_by_label("Factors of the rows").set_input_files(odd)
    expect(page.get_by_text("the factor in row 2 (r1) is 0; factors are finite numbers above 0")).to_be_visible()
    page.get_by_label("Factors of the rows").set_input_files(files)
    expect(page.get_by_text("120 factors, matched by the names of the rows.")).to_be_visible()
    page.get_by_role("button", name="Start the run").click()
    run = run_of(page)
    server.wait(run)
    page.goto(f"http://127.0.0.1:{server.port}/runs/new?from={run}&seed=1")
    expect(page.get_by_text("Without a file, the other run's factors stay.").first).to_be_visible()
    page.get_by_role("button", name="Start the run").click()
    page.wait_for_url(lambda address: run not in address)
    again = run_of(page)
    server.wait(again)
    for done in (run, again):
        status, record, _ = server.ask("GET", f"/runs/{done}/artifacts/run.json")
        assert (status, record["parameters"]["exposure"]) == (200, "given")
        assert "the factors of the rows are in another order than watched.csv: matched by their ids" in str(record)


def test_a_table_of_counts_becomes_a_run_that_says_so(
    visit: Callable[..., Page], server: Server, tmp_path: Path
) -> None:
    path = tmp_path / "counts.csv"
    path.write_bytes(csv_of(counts()))
    page = visit(server, "/runs/new")
    page.get_by_label("File with a table").set_input_files(path)
    page.get_by_role("button", name="Upload and check").click()
    expect(page.get_by_text("The cells are taken as counts: they are whole numbers")).to_be_visible()
    page.get_by_label("Cells", exact=True).select_option("counts")
    page.get_by_label("Iterations", exact=True).fill("60")
    page.get_by_text("Advanced parameters").click()
    expect(page.get_by_label("Exposure")).to_have_value("margins")
    page.get_by_role("button", name="Start the run").click()
    run = run_of(page)
    page.wait_for_selector(READY)
    options = server.ask("GET", f"/runs/{run}")[1]["options"]
    assert (options["cells"], options["exposure"]) == ("counts", "margins")
    expect(page.locator(".block-table caption")).to_contain_text("How many times the expected count of each block")
    expect(page.locator(".findings")).to_contain_text("counts vary as Poisson counts do")


def test_counts_are_shown_beside_what_is_expected_and_as_they_are(
    visit: Callable[..., Page], server: Server, run_of_counts: str
) -> None:
    opened = open_run(visit, server, run_of_counts)
    page, legend = opened.page, opened.page.locator(".heatmap-legend")
    expect(legend).to_contain_text("1 ×")
    expect(legend).to_contain_text("Times the expected count")
    assert page.get_by_label("Times expected").is_checked()
    expect(page.get_by_role("group", name="Colours by")).to_have_count(0)
    *_, value = opened.read_out(0.6, 0.3)
    assert re.fullmatch(r"\d+, ([\d.]+ times the )?expected [\d.]+", value)
    page.keyboard.press("e")
    expect(page.get_by_label("Mean count")).to_be_checked()
    expect(legend).not_to_contain_text("×")
    assert path_of(page).endswith("?counts=raw")
    page.keyboard.press("e")
    expect(legend).to_contain_text("1 ×")
    assert path_of(page) == f"/runs/{run_of_counts}"


def test_the_value_beside_the_mark_is_that_of_the_file(
    visit: Callable[..., Page], server: Server, run_of_counts: str
) -> None:
    opened = open_run(visit, server, run_of_counts)
    row, column, value = opened.read_out(0.3, 0.7)
    values = counts()
    at = [int(re.match(r"\w+ [rc](\d+), ", text)[1]) for text in (row, column)]  # type: ignore[index]
    assert int(value.partition(",")[0]) == values[at[0], at[1]]
    expected = values[at[0]].sum() * values[:, at[1]].sum() / values.sum()
    assert float(value.rpartition(" ")[2]) == pytest.approx(expected, rel=0.06)


def test_blocks_of_counts_have_the_rates_that_they_were_made_with(
    visit: Callable[..., Page], server: Server, run_of_counts: str
) -> None:
    page = open_run(visit, server, run_of_counts).page
    texts = page.locator(".block-table tbody b").all_inner_texts()
    rates = sorted(float(text.removesuffix(" ×")) for text in texts)
    assert rates[0] < 0.7
    assert rates[-1] > 1.4
    assert not re.search(r"NaN|undefined|†|±|skewness", page.locator("main").inner_text())


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_categories_have_a_colour_each_and_blocks_name_the_most_common(
    visit: Callable[..., Page], server: Server, run_of_votes: str, theme: str
) -> None:
    opened = open_run(visit, server, run_of_votes, theme=theme)
    page = opened.page
    names = page.get_by_role("list", name="Categories").locator("li")
    assert [text.strip() for text in names.all_inner_texts()] == ["1", "2", "3"]
    row, column, value = opened.read_out(0.3, 0.7)
    at = [int(re.match(r"\w+ [rc](\d+), ", text)[1]) for text in (row, column)]  # type: ignore[index]
    assert int(value) == votes()[at[0], at[1]]
    expect(page.locator(".block-table caption")).to_contain_text("Most common categories of each block")
    firsts = page.locator(".block-table tbody b").all_inner_texts()
    assert {text.partition(":")[0] for text in firsts} == {"1", "2", "3"}
    assert all(re.fullmatch(r"[123]: (8[5-9]|9\d|100) %", text) for text in firsts)
    assert grave(page) == []


def test_yes_and_no_are_per_cent_of_ones(visit: Callable[..., Page], server: Server) -> None:
    rng = np.random.default_rng(5)
    shares = np.array([[0.9, 0.2], [0.1, 0.8], [0.5, 0.5]])[ROWS][:, COLUMNS]
    run = finished(server, (rng.random(shares.shape) < shares).astype(np.int64), "binary")
    page = open_run(visit, server, run).page
    expect(page.locator(".block-table caption")).to_contain_text("Share of ones of each block")
    texts = page.locator(".block-table tbody b").all_inner_texts()
    assert all(re.fullmatch(r"[\d.]+ %", text) for text in texts)
    ticks = page.locator(".heatmap-ticks span").all_inner_texts()
    assert (ticks[0], ticks[-1]) == ("0 %", "100 %")


def test_the_report_of_counts_says_the_same(visit: Callable[..., Page], server: Server, run_of_counts: str) -> None:
    page = visit(server, f"/api/v1/runs/{run_of_counts}/artifacts/report.html")
    expect(page.locator(READY)).to_have_count(2)
    assert page.get_by_label("Times expected").is_checked()
    expect(page.locator(".heatmap-legend")).to_contain_text("1 ×")
    expect(page.locator(".block-table caption", has_text="How many times the expected count")).to_be_visible()
    assert not re.search(r"NaN|undefined|†|±|look normal", page.locator("main").inner_text())
    page.locator("label", has_text="Mean of its cells").click()
    expect(page.locator(".heatmap-legend")).not_to_contain_text("×")
    assert grave(page) == []


def test_the_report_of_categories_names_them(visit: Callable[..., Page], server: Server, run_of_votes: str) -> None:
    page = visit(server, f"/api/v1/runs/{run_of_votes}/artifacts/report.html")
    expect(page.locator(READY)).to_have_count(2)
    names = page.get_by_role("list", name="Categories").locator("li")
    assert [text.strip() for text in names.all_inner_texts()] == ["1", "2", "3"]
    caption = page.locator(".block-table caption", has_text="Most common categories of each block")
    expect(caption).to_be_visible()
    expect(page.get_by_text("Each pixel shows")).to_have_count(0)
    assert grave(page) == []
