"""Levels of the trees, names that are found and lists of members, in a report in a real browser."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

from disnplbm.posterior.trees.curves import curves_of
from disnplbm.posterior.trees.drawn import DrawnTrees
from disnplbm.posterior.trees.grown import AXES, Trees
from disnplbm.report.html import render_report
from e2e.built import grave
from unit.report.levels_of_pages import sample, trees_of, write_folder

pytestmark = pytest.mark.usefixtures("built_pages")

#: Five clusters of rows, with rows that are set aside, and all of columns.
CUT = sample("numbers")["cuts"][1]

CANVAS = "[data-view=reordered] canvas"


@pytest.fixture(scope="module")
def report(samples: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """60 rows in 9 clusters, of which three are of one row, and 24 columns in 6."""
    names = {"row_names": [f"the_row_{i:02d}_of_all" for i in range(60)], "column_names": [f"c{j}" for j in range(24)]}
    trees = trees_of("numbers")
    folder = write_folder(samples, tmp_path_factory.mktemp("levels") / "run", trees, **names)
    record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    (folder / "run.json").write_text(json.dumps(record | {"level_curves": curves_of_chains(trees)}), encoding="utf-8")
    return render_report(folder)


def curves_of_chains(trees: Trees) -> dict[str, Any]:
    """What a run of two chains whose trees are the same says of its levels: all nine row clusters are shown."""
    found = {}
    for axis, tree in zip(AXES, (trees.rows, trees.columns), strict=True):
        fine = np.repeat(np.arange(len(tree.sizes)), tree.sizes).astype(np.int32)
        drawn = DrawnTrees([tree, tree], [fine.astype(np.uint8)] * 2, np.arange(2))
        suggestion = {"clusters": len(tree.sizes), "fine": len(tree.sizes), "reason": "fine", "figure": None}
        found[axis] = suggestion | curves_of(tree, drawn, fine).to_dict()
    return found


@pytest.fixture
def visit(browser: Browser, report: Path) -> Iterator[Callable[..., Page]]:
    """Opens the report at an address; in the end, nothing was complained of."""
    opened: list[Page] = []
    messages: list[str] = []

    def start(fragment: str = "", width: int = 1280, theme: Any = "light") -> Page:
        page = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme).new_page()
        opened.append(page)
        page.on("console", lambda message: messages.append(message.text))
        page.on("pageerror", lambda error: messages.append(str(error)))
        page.goto(report.as_uri() + fragment)
        expect(page.locator(".heatmap-box[data-state=ready]")).to_have_count(2)
        return page

    yield start
    for page in opened:
        page.context.close()
    assert messages == []


def test_the_matrix_its_blocks_and_its_lists_follow_the_slider(visit: Callable[..., Page]) -> None:
    page = visit()
    expect(page.locator(CANVAS)).to_have_attribute("aria-label", re.compile("9 row clusters × 6 column clusters"))
    slider = page.get_by_role("slider").first
    slider.focus()
    slider.press("Home")
    for _ in range(4):
        slider.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuetext", f"5 of 9 row clusters, {CUT['aside']} rows set aside")
    expect(page.locator(CANVAS)).to_have_attribute("aria-label", re.compile("5 row clusters × 6 column clusters"))
    expect(page.locator(".block-table td button")).to_have_count(30)
    means = [float(each.inner_text().split("\n")[0].replace("−", "-")) for each in page.locator(".block-table b").all()]
    assert means == pytest.approx([mean for line in CUT["figures"]["mean"] for mean in line], abs=0.006)
    expect(page.get_by_role("button", name=re.compile("^Show row cluster"))).to_have_count(5)
    expect(page).to_have_url(re.compile("#row-level=5$"))


def test_a_level_is_in_the_address_and_all_clusters_are_a_press_away(visit: Callable[..., Page]) -> None:
    page = visit("#row-level=5")
    expect(page.locator(CANVAS)).to_have_attribute("aria-label", re.compile("5 row clusters × 6 column clusters"))
    page.get_by_role("button", name="Fine: all 9 row clusters").click()
    expect(page.locator(CANVAS)).to_have_attribute("aria-label", re.compile("9 row clusters"))
    expect(page).to_have_url(re.compile("report.html$"))


def test_a_level_is_chosen_by_what_is_known_of_all_of_them(visit: Callable[..., Page]) -> None:
    page = visit()
    page.get_by_role("button", name="Which level?").click()
    expect(page.get_by_role("heading", name="Which level")).to_be_focused()
    expect(page.get_by_text("Shown first: all 9 row clusters and all 6 column clusters. Up to 24")).to_be_visible()
    chart = page.get_by_role("img", name=re.compile("^Agreement and confidence by number of row clusters"))
    expect(chart).to_be_visible()
    page.get_by_text("All figures as a table").click()
    table = page.get_by_role("region", name="Figures of each number of row clusters")
    table.get_by_role("button", name="5", exact=True).click()
    expect(page).to_have_url(re.compile("row-level=5"))
    expect(table.get_by_role("row").filter(has=page.get_by_role("button", name="5", exact=True))).to_contain_text(
        "1.00"
    )
    expect(chart).to_have_attribute("aria-label", re.compile(r"1\.00.* at 5\. here: 5 clusters"))
    expect(page.get_by_text("How certain labels are at this level, on average: rows 100 %.")).to_be_visible()
    assert grave(page) == []


def test_what_is_set_aside_is_named(visit: Callable[..., Page]) -> None:
    page = visit("#row-level=5")
    page.get_by_role("button", name="rows set aside").click()
    dialog = page.get_by_role("dialog")
    aside = CUT["aside"]
    expect(dialog.get_by_role("heading")).to_have_text(f"{aside} rows set aside")
    expect(dialog.get_by_role("listitem")).to_have_count(aside)
    dialog.get_by_role("listitem").first.get_by_role("button").click()
    expect(dialog).to_have_count(0)
    expect(page.locator(CANVAS)).to_have_attribute("aria-label", re.compile("of 60 rows"))


def test_all_members_of_a_cluster_are_listed_and_found(visit: Callable[..., Page]) -> None:
    page = visit("#row-level=1")
    page.get_by_role("button", name=re.compile("52 more of row cluster 0")).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("listitem")).to_have_count(60)
    dialog.get_by_role("searchbox").fill("row_17")
    expect(dialog.get_by_role("listitem")).to_have_text(["the_row_17_of_all"])
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)


def test_a_name_opens_the_matrix_at_its_place(visit: Callable[..., Page]) -> None:
    page = visit()
    page.get_by_role("searchbox", name="Find").fill("ROW_3")
    expect(page.locator(".found")).to_contain_text("10 rows")
    expect(page.locator(".found")).to_contain_text("No column has a name like that.")
    page.get_by_role("searchbox", name="Find").fill("row_31")
    page.locator(".found li > button").click()
    expect(page.locator(CANVAS)).to_have_attribute("aria-label", re.compile("30 of 60 rows"))
    expect(page).to_have_url(re.compile(r"[#&]row=\d+&?.*$"))
    expect(page).to_have_url(re.compile("[#&]find=row_31&"))
    again = visit(page.url[page.url.index("#") :])
    expect(again.locator(CANVAS)).to_have_attribute("aria-label", re.compile("30 of 60 rows"))
    expect(again.locator(".found li > button")).to_have_text("the_row_31_of_all")
    # Who is with it.
    again.locator(".found .with").click()
    expect(again.get_by_role("dialog").get_by_role("listitem").filter(has_text="the_row_31_of_all")).to_have_count(1)


def test_the_labels_of_a_level_become_a_file(visit: Callable[..., Page]) -> None:
    page = visit("#row-level=5")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save the labels of the rows").click()
    assert download.value.suggested_filename == "rows-level.csv"
    lines = Path(download.value.path()).read_text().splitlines()
    assert lines[0] == "id,label"
    found = {name: int(label) for name, label in (line.split(",") for line in lines[1:])}
    branch, fine = CUT["row_labels"], np.repeat(np.arange(9), trees_of("numbers").rows.sizes)
    assert found == {f"the_row_{i:02d}_of_all": branch[k] for i, k in enumerate(fine)}
    assert list(found.values()).count(-1) == CUT["aside"]


def test_the_picture_for_a_slide_has_a_title_names_and_what_colours_mean(visit: Callable[..., Page]) -> None:
    page = visit("#row-level=5")
    pictures = {}
    for kind in ("SVG", "PNG"):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Save as {kind}").click()
        assert download.value.suggested_filename.endswith(f".{kind.lower()}")
        pictures[kind] = Path(download.value.path()).read_bytes()
    texts = [text.text for text in ElementTree.fromstring(pictures["SVG"]).iter("{http://www.w3.org/2000/svg}text")]
    assert texts[-1] == "value"
    assert "60 rows × 24 columns in 5 row clusters × 6 column clusters" in texts
    assert {"c0", "c23"} <= set(texts)
    assert pictures["PNG"][:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", pictures["PNG"][16:24]) == (2560, 1440)


def test_the_blocks_are_one_stop_among_which_the_arrows_move(visit: Callable[..., Page]) -> None:
    page = visit()
    blocks = page.locator(".block-table button")
    expect(blocks).to_have_count(54)
    assert (
        page.evaluate("[...document.querySelectorAll('.block-table button')].filter((x) => x.tabIndex === 0).length")
        == 1
    )
    blocks.first.focus()
    for key, place in (("ArrowRight", 1), ("ArrowDown", 7), ("ArrowLeft", 6), ("End", 11), ("Home", 6), ("ArrowUp", 0)):
        page.keyboard.press(key)
        expect(blocks.nth(place)).to_be_focused()
        assert blocks.nth(place).get_attribute("tabindex") == "0"


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 360)])
def test_axe_finds_nothing_serious_and_nothing_is_wider_than_the_page(
    visit: Callable[..., Page], theme: str, width: int
) -> None:
    page = visit("#row-level=5&column-level=2&find=row_1", width, theme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert grave(page) == []
    page.get_by_role("button", name="rows set aside").click()
    assert grave(page) == []
