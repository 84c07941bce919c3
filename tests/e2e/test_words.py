"""A table of words on the pages: what it is taken for, what is asked of its run, and the names of its categories."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from e2e.pages import READY, run_of
from integration.serving import Server, served

pytestmark = pytest.mark.usefixtures("built_pages")

WORDS = np.array(["amber", "jade", "ruby"])


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served(tmp_path_factory.mktemp("served")) as started:
        yield started


def test_a_table_of_words_becomes_a_run_of_their_names(
    visit: Callable[..., Page], server: Server, tmp_path: Path
) -> None:
    codes = (np.arange(60)[:, None] + np.arange(12)) % 2
    codes = np.where(np.random.default_rng(0).random(codes.shape) < 0.8, codes, 2)
    path = tmp_path / "words.csv"
    lines = [
        ",".join(["id", *(f"q{j}" for j in range(12))]),
        *(f"s{i}," + ",".join(WORDS[codes[i]]) for i in range(60)),
    ]
    path.write_text("\n".join(lines) + "\n")
    page = visit(server, "/runs/new")
    page.get_by_label("File with a table").set_input_files(path)
    page.get_by_role("button", name="Upload and check").click()
    expect(page.get_by_text("The cells are taken as categories: they are words, amber, jade or ruby")).to_be_visible()
    expect(page.get_by_label("What is in the table")).to_contain_text("amber, jade, ruby")
    page.get_by_text("Advanced parameters").click()
    # What says nothing of categories is not asked, until they are to be something else.
    expect(page.get_by_label("Power", exact=True)).to_be_visible()
    for label in ("Kappa 0", "Exposure"):
        expect(page.get_by_label(label)).to_have_count(0)
    page.get_by_label("Cells", exact=True).select_option("gaussian")
    expect(page.get_by_label("Kappa 0")).to_be_visible()
    page.get_by_label("Cells", exact=True).select_option("auto")
    page.get_by_label("Iterations", exact=True).fill("60")
    page.get_by_role("button", name="Start the run").click()
    run = run_of(page)
    page.wait_for_selector(READY)
    expect(page.locator(".heatmap-legend")).to_contain_text("amber")
    expect(page.locator(".block-table button").first).to_contain_text("amber")
    parameters = page.get_by_role("region", name="Parameters")
    expect(parameters).to_contain_text("power")
    expect(parameters).not_to_contain_text("kappa0")
    page = visit(server, f"/api/v1/runs/{run}/artifacts/report.html")
    page.wait_for_selector(READY)
    expect(page.locator(".block-table")).to_contain_text("jade")
    expect(page.get_by_text("kappa0")).to_have_count(0)
