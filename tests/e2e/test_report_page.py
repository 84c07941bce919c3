"""The report in a real browser: it draws, in both themes and on a phone, and asks for nothing from anywhere."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from disnplbm.report.html import render_report

READ = """(view) => {
  const canvas = document.querySelector(`[data-view=${view}] canvas`);
  const { width, height } = canvas;
  const at = canvas.getBoundingClientRect();
  const data = canvas.getContext("2d").getImageData(0, 0, width, height).data;
  const binary = Array.from(data, (b) => String.fromCharCode(b)).join("");
  return { width, height, shown: [at.width, at.height], pixels: btoa(binary) };
}"""
GUTTER, HEAD = 40, 20


@pytest.fixture(scope="module")
def report(samples: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 3,000 x 60 with 4 x 3 shuffled blocks: row cluster k, column cluster l has mean 3 k + l."""
    rng = np.random.default_rng(0)
    rows, columns = rng.permutation(np.arange(3000) % 4), rng.permutation(np.arange(60) % 3)
    means = np.arange(12.0).reshape(4, 3)
    values = means[rows][:, columns] + rng.normal(scale=0.05, size=(3000, 60))
    folder = samples.write_run_folder(tmp_path_factory.mktemp("report") / "run", values, rows, columns)
    return render_report(folder)


class Visit:
    """A page that was opened, with what it asked for and complained about."""

    def __init__(self, browser: Browser, path: Path, *, theme: Any, width: int, fragment: str = "") -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
        self.page: Page = self.context.new_page()
        self.messages: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri() + fragment)
        self.page.wait_for_selector("html.ready")

    def picture(self, view: str) -> np.ndarray:
        """Drawn pixels of the matrix itself, without the axes, shape (height, width, 4)."""
        read = self.page.evaluate(READ, view)
        pixels = np.frombuffer(base64.b64decode(read["pixels"]), dtype=np.uint8)
        pixels = pixels.reshape(read["height"], read["width"], 4)
        density = read["width"] / read["shown"][0]
        return pixels[round(HEAD * density) :, round(GUTTER * density) :].astype(np.int64)


@pytest.fixture
def visit(browser: Browser, report: Path) -> Iterator[Any]:
    opened: list[Visit] = []

    def start(**options: Any) -> Visit:
        opened.append(Visit(browser, options.pop("path", report), **options))
        return opened[-1]

    yield start
    for each in opened:
        each.context.close()


def block_colours(picture: np.ndarray) -> np.ndarray:
    """Colour in the middle of each of the 4 x 3 equal blocks, shape (12, 3)."""
    height, width = picture.shape[:2]
    return np.array(
        [
            np.median(
                picture[
                    int((k + 0.3) * height / 4) : int((k + 0.7) * height / 4),
                    int((l + 0.3) * width / 3) : int((l + 0.7) * width / 3),
                    :3,
                ],
                axis=(0, 1),
            )
            for k in range(4)
            for l in range(3)  # noqa: E741
        ]
    )


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_draws_the_blocks_without_errors_or_requests(visit: Any, theme: str, width: int) -> None:
    opened = visit(theme=theme, width=width)
    before, after = opened.picture("original"), opened.picture("reordered")
    assert opened.messages == []
    assert [url for url in opened.requests if not url.startswith(("file:", "data:"))] == []
    assert len([url for url in opened.requests if url.startswith("file:")]) == 1
    assert opened.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert (before[..., 3] == 255).mean() > 0.99
    assert (after[..., 3] == 255).mean() > 0.99

    colours = block_colours(after)
    distances = np.abs(colours[:, None] - colours[None]).sum(axis=2)
    assert distances[~np.eye(12, dtype=bool)].min() > 15, "two blocks of different mean look alike"
    bright = colours @ [0.2126, 0.7152, 0.0722]
    assert np.all(np.diff(bright) < 0) if theme == "light" else np.all(np.diff(bright) > 0)
    # Neighbouring rows of the file mix clusters; sorted ones do not.
    jumps = [np.abs(np.diff(picture[..., :3].sum(axis=2), axis=0)).mean() for picture in (before, after)]
    assert jumps[0] > 5 * jumps[1]


def test_the_two_themes_look_different_and_the_button_overrides_the_system(visit: Any) -> None:
    grounds = {}
    for theme in ("light", "dark"):
        opened = visit(theme=theme, width=1280)
        grounds[theme] = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert grounds["light"] != grounds["dark"]
    page = visit(theme="light", width=1280).page
    page.click("#theme")
    page.click("#theme")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == grounds["dark"]
    assert page.evaluate("location.hash") == "#theme=dark"


def read_out(page: Any, canvas: Any, across: float, down: float) -> str:
    """What the tip says with the mouse at these shares of a canvas's width and height."""
    canvas.scroll_into_view_if_needed()
    # The page hears of the scroll with its next picture, and closes the read-out then.
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    at = canvas.bounding_box()
    page.mouse.move(at["x"] + at["width"] * across, at["y"] + at["height"] * down)
    return str(page.locator("#tip").inner_text())


def test_hovering_reads_out_rows_columns_clusters_and_mean(visit: Any) -> None:
    page = visit(theme="light", width=1280).page
    canvas = page.locator("[data-view=reordered] canvas")
    text = read_out(page, canvas, 0.9, 0.9)
    assert "cluster 3" in text
    assert "cluster 2" in text
    assert "11" in text.split("Block")[1]
    page.mouse.move(5, 5)
    assert page.locator("#tip").is_hidden()


def test_the_keyboard_moves_the_read_out_and_it_is_spoken(visit: Any) -> None:
    page = visit(theme="light", width=1280).page
    page.locator("[data-view=reordered] canvas").focus()
    page.keyboard.press("ArrowDown")
    first = page.locator("#spoken").text_content()
    page.keyboard.press("Shift+ArrowRight")
    second = page.locator("#spoken").text_content()
    assert "cluster 0" in first
    assert "Column" in second
    assert first != second


def test_what_is_chosen_is_in_the_address_and_comes_back(visit: Any) -> None:
    page = visit(theme="light", width=1280).page
    page.get_by_label("Mean of its cells").check()
    page.get_by_label("Second half").check()
    fragment = page.evaluate("location.hash")
    assert fragment == "#pixel=mean&trace=late"
    again = visit(theme="light", width=1280, fragment=fragment).page
    assert again.locator("input[name=pixel][value=mean]").is_checked()
    assert again.locator("svg.late").first.is_visible()
    assert not again.locator("svg.all").first.is_visible()


def test_missing_cells_show_the_hatched_ground(visit: Any, samples: ModuleType, tmp_path: Path) -> None:
    rows, columns = np.arange(40) % 2, np.arange(8) % 2
    values = np.where(rows[:, None] == 0, 1.0, 5.0) * np.ones((40, 8))
    values[:, columns == 1] = np.nan
    folder = samples.write_run_folder(tmp_path / "run", values, rows, columns)
    opened = visit(path=render_report(folder), theme="light", width=1280)
    picture = opened.picture("reordered")
    half = picture.shape[1] // 2
    assert (picture[5:-5, 5 : half - 5, 3] == 255).all()
    assert (picture[5:-5, half + 5 : -5, 3] == 0).mean() > 0.4
    assert opened.messages == []


# --- how sure it is -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def drawn_report(samples: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two chains that disagree, of 400 x 30 with 4 x 3 equal clusters: 0.75 together, 0.25 across."""
    rng = np.random.default_rng(1)
    rows, columns = rng.permutation(np.arange(400) % 4), rng.permutation(np.arange(30) % 3)
    values = samples.block_matrix(rows, columns)
    folder = samples.write_run_folder(tmp_path_factory.mktemp("drawn") / "run", values, rows, columns)
    return render_report(samples.add_draws(folder, agree=False))


def tile_colours(picture: np.ndarray, clusters: int) -> np.ndarray:
    """Median colour of each tile of a picture of equal clusters, shape (clusters, clusters, 3)."""
    size = picture.shape[0] // clusters
    inner = slice(size // 4, 3 * size // 4)
    tiles = picture[: size * clusters, : size * clusters, :3].reshape(clusters, size, clusters, size, 3)
    return np.median(tiles[:, inner, :, inner], axis=(1, 3))


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_how_sure_it_is_is_drawn_in_both_themes_and_on_a_phone(
    visit: Any, drawn_report: Path, theme: str, width: int
) -> None:
    opened = visit(path=drawn_report, theme=theme, width=width)
    section = opened.page.get_by_role("region", name="How sure it is")
    assert section.get_by_text("A sentence on the chains.").is_visible()
    assert section.get_by_text("The draws hold a second answer for the columns").is_visible()
    for caption in ("Number of row clusters K", "Number of column clusters L", "Convergence", "Least sure rows"):
        assert section.locator("caption", has_text=caption).is_visible()
    assert opened.page.get_by_text("not settled").is_visible()
    assert opened.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert opened.messages == []
    for view, clusters in (("row-similarity", 4), ("column-similarity", 3)):
        picture = opened.picture(view)
        assert (picture[..., 3] == 255).mean() > 0.99
        colours = tile_colours(picture, clusters)
        same = np.eye(clusters, dtype=bool)
        assert np.ptp(colours[same], axis=0).max() == np.ptp(colours[~same], axis=0).max() == 0
        ground, together, across = (
            np.dot(colour, [0.2126, 0.7152, 0.0722])
            for colour in ((255, 255, 255) if theme == "light" else (0, 0, 0), colours[same][0], colours[~same][0])
        )
        assert abs(together - ground) > abs(across - ground) + 40


def test_a_pair_of_rows_is_read_out_by_mouse_and_keyboard(visit: Any, drawn_report: Path) -> None:
    page = visit(path=drawn_report, theme="light", width=1280).page
    canvas = page.locator("[data-view=row-similarity] canvas")
    text = read_out(page, canvas, 0.9, 0.3)
    assert "Together in\n25 % of the draws" in text
    assert "cluster 0" in text or "cluster 1" in text
    assert "cluster 3" in text
    page.mouse.move(5, 5)
    canvas.focus()
    page.keyboard.press("ArrowDown")
    assert page.locator("#spoken").text_content().startswith("One row ")


def test_ranked_colours_are_of_the_matrix_and_not_of_probabilities(visit: Any, drawn_report: Path) -> None:
    opened = visit(path=drawn_report, theme="light", width=1280)
    before = {view: opened.picture(view) for view in ("reordered", "row-similarity")}
    opened.page.get_by_label("Rank").check()
    assert (opened.picture("reordered") != before["reordered"]).any()
    np.testing.assert_array_equal(opened.picture("row-similarity"), before["row-similarity"])


def test_every_chain_is_read_out(visit: Any, drawn_report: Path) -> None:
    page = visit(path=drawn_report, theme="light", width=1280).page
    svg = page.locator("[data-chart=log_joint] svg.all")
    assert svg.locator("path.line").count() == 2
    strokes = {line.evaluate("line => getComputedStyle(line).stroke") for line in svg.locator("path.line").all()}
    assert len(strokes) == 2
    svg.scroll_into_view_if_needed()
    at = svg.bounding_box()
    page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
    caption = page.locator("[data-chart=log_joint] figcaption span").inner_text()
    first, second = (float(value.replace(",", "").replace("−", "-")) for value in caption.split(": ")[1].split(" · "))
    assert first - second == pytest.approx(500.0)
    page.mouse.move(5, 5)
    assert page.locator("[data-chart=log_joint] figcaption span").inner_text().startswith("consensus ")


def test_the_read_out_of_a_block_has_its_intervals(visit: Any, drawn_report: Path) -> None:
    page = visit(path=drawn_report, theme="light", width=1280).page
    page.locator("[data-view=reordered] canvas").focus()
    page.keyboard.press("ArrowDown")
    assert re.search(r"with 95 %: mean .+ to .+, sd .+ to ", page.locator("#spoken").text_content())
