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
from playwright.sync_api import Browser, Locator, Page, expect

from disnplbm.posterior.elbow import choose_power
from disnplbm.report.calibration import calibration_document, render_calibration
from disnplbm.report.html import render_report
from disnplbm.report.page import PAGE
from e2e.built import grave

pytestmark = pytest.mark.usefixtures("built_pages")

READ = """(view) => {
  const canvas = document.querySelector(`[data-view=${view}] canvas`);
  const { width, height } = canvas;
  const at = canvas.getBoundingClientRect();
  const data = canvas.getContext("2d").getImageData(0, 0, width, height).data;
  const binary = Array.from(data, (b) => String.fromCharCode(b)).join("");
  return { width, height, shown: [at.width, at.height], pixels: btoa(binary) };
}"""
READY = ".heatmap-box[data-state=ready]"


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

    def __init__(
        self, browser: Browser, path: Path, *, theme: Any = "light", width: int = 1280, fragment: str = "", **more: Any
    ) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme, **more)
        self.page: Page = self.context.new_page()
        self.messages: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.messages.append(message.text))
        self.page.on("pageerror", lambda error: self.messages.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(path.as_uri() + fragment)

    def drawn(self) -> Visit:
        """The same, once all heatmaps are drawn."""
        boxes = self.page.locator(".heatmap-box")
        expect(self.page.locator(READY)).to_have_count(boxes.count())
        # A picture that was set is drawn with the next frame at the latest.
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return self

    def picture(self, view: str) -> np.ndarray:
        """Drawn pixels of the matrix itself, without the axes, shape (height, width, 4)."""
        read = self.page.evaluate(READ, view)
        pixels = np.frombuffer(base64.b64decode(read["pixels"]), dtype=np.uint8)
        pixels = pixels.reshape(read["height"], read["width"], 4)
        density = read["width"] / read["shown"][0]
        left = 54 if read["shown"][0] < 480 else 84
        inside = pixels[round(26 * density) :, round(left * density) :].astype(np.int64)
        # Names below lie on nothing.
        return inside[: np.flatnonzero((inside[..., 3] == 255).mean(axis=1) > 0.95)[-1] + 1]


@pytest.fixture
def visit(browser: Browser, report: Path) -> Iterator[Any]:
    opened: list[Visit] = []

    def start(**options: Any) -> Visit:
        opened.append(Visit(browser, options.pop("path", report), **options))
        return opened[-1].drawn()

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
    page.wait_for_url(re.compile("#theme=dark$"))
    again = visit(theme="light", width=1280, fragment="#theme=dark").page
    assert again.evaluate("getComputedStyle(document.body).backgroundColor") == grounds["dark"]


def read_out(figure: Locator, across: float, down: float) -> list[str]:
    """What the tip says with the mouse at these shares of a canvas's width and height."""
    canvas = figure.locator("canvas")
    canvas.scroll_into_view_if_needed()
    at = canvas.bounding_box()
    assert at is not None
    canvas.page.mouse.move(at["x"] + at["width"] * across, at["y"] + at["height"] * down)
    return str(figure.locator(".heatmap-tip").inner_text()).split("\n")


def test_hovering_reads_out_rows_columns_clusters_and_value(visit: Any) -> None:
    page = visit().page
    figure = page.locator("[data-view=reordered]")
    row, column, block, value = read_out(figure, 0.9, 0.9)
    assert re.fullmatch(r"5 rows, \d+ … \d+, cluster 3", row)
    assert re.fullmatch(r"column \d+, cluster 2", column)
    assert re.fullmatch(r"block 3, 2: mean ± sd 1[01][.\d]* ± 0\.0\d+", block)
    assert re.fullmatch(r"one cell 1[01]\.\d+", value)
    page.mouse.move(5, 5)
    assert figure.locator(".heatmap-tip").count() == 0


def test_the_keyboard_moves_the_read_out_and_it_is_spoken(visit: Any) -> None:
    page = visit().page
    figure = page.locator("[data-view=reordered]")
    figure.locator("canvas").focus()
    status = figure.locator(".heatmap-status")
    page.keyboard.press("ArrowDown")
    expect(status).to_contain_text("cluster 2")
    first = status.text_content()
    page.keyboard.press("Shift+ArrowRight")
    expect(status).not_to_have_text(str(first))
    expect(status).to_contain_text("column ")
    for _ in range(40):
        page.keyboard.press("Shift+ArrowUp")
        page.keyboard.press("Shift+ArrowLeft")
    expect(status).to_contain_text("cluster 0; column")
    expect(status).to_contain_text("block 0, 0: ")
    page.keyboard.press("Escape")
    expect(status).to_contain_text("All 3,000 rows × 60 columns, by cluster")


def test_what_is_chosen_is_in_the_address_and_comes_back(visit: Any) -> None:
    page = visit().page
    late = page.get_by_role("radio", name="Second half")
    page.get_by_role("radio", name="Mean of its cells").check()
    late.check()
    page.get_by_role("button", name="Zoom in reordered").click()
    page.wait_for_url(re.compile("rows="))
    fragment = page.evaluate("location.hash")
    assert fragment.startswith("#pixel=mean&trace=late&rows=")
    again = visit(fragment=fragment).page
    assert again.locator("input[name=pixel][value=mean]").is_checked()
    assert again.get_by_role("radio", name="Second half").is_checked()
    part = page.locator("[data-view=reordered] .heatmap-status").text_content()
    assert " of 3,000 rows" in part
    assert again.locator("[data-view=reordered] .heatmap-status").text_content() == part
    for chart in again.locator(".chart").all():
        expect(chart.locator(".chart-box")).to_have_attribute("aria-label", re.compile("at iteration 100"))


def test_the_second_half_of_the_traces_is_drawn_alone(visit: Any) -> None:
    page = visit().page
    over = page.locator(".chart .u-over").first
    over.scroll_into_view_if_needed()
    at = over.bounding_box()
    told = page.locator(".chart figcaption span").first
    page.mouse.move(at["x"] + 1, at["y"] + 20)
    expect(told).to_have_text(re.compile("^1: "))
    page.get_by_role("radio", name="Second half").check()
    page.mouse.move(at["x"] + 3, at["y"] + 30)
    expect(told).to_have_text(re.compile("^51: "))


def test_a_block_of_the_table_opens_the_heatmap_at_its_place(visit: Any) -> None:
    page = visit().page
    page.get_by_role("button", name=re.compile("block 1, 2: show it")).click()
    canvas = page.locator("[data-view=reordered] canvas")
    expect(canvas).to_have_attribute(
        "aria-label", re.compile("750 of 3,000 rows × 20 of 60 columns, by cluster: 1 row cluster × 1 column cluster")
    )
    page.get_by_role("button", name="Show row cluster 3 in the heatmap").click()
    expect(canvas).to_have_attribute("aria-label", re.compile("750 of 3,000 rows × 60 of 60 columns"))


def test_every_block_is_in_the_table_with_mean_and_spread(visit: Any) -> None:
    cells = visit().page.locator(".block-table td button")
    assert cells.count() == 12
    for at, cell in enumerate(cells.all()):
        mean, spread = cell.inner_text().split("\n")
        assert float(mean) == pytest.approx(3 * (at // 3) + at % 3, abs=0.02)
        assert float(spread.removeprefix("± ")) == pytest.approx(0.05, abs=0.01)
        assert re.match(
            r"15,000 observed cells; skewness .+, excess kurtosis .+, p ", cell.get_attribute("title") or ""
        )


def test_captions_of_traces_are_of_what_is_reported(visit: Any) -> None:
    captions = visit().page.locator(".chart figcaption span").all_inner_texts()
    assert re.fullmatch(r"last state −2,9\d\d,\d{3}\.\d", captions[0])
    assert captions[1:3] == ["last state 4", "last state 3"]
    assert re.fullmatch(r"mean \d+ ms", captions[3])


def test_without_scripts_the_headline_is_there(visit: Any, browser: Browser, report: Path) -> None:
    opened = Visit(browser, report, java_script_enabled=False)
    text = opened.page.inner_text("body")
    opened.context.close()
    for part in ("sample", "3,000 rows × 60 columns → 4 row clusters × 3 column clusters", "3f9a6c1e"):
        assert part in text


def test_the_built_page_is_one_small_file_that_names_no_other_address() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert len(page) < 400_000
    # Names of vocabularies, which nothing asks for.
    named = re.sub(r"https?://www\.w3\.org/(1999|2000|1998)/\w+(/\w+)?", "", page)
    assert re.findall(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}", named) == []
    assert re.findall(r'(?:src|href)="(?!data:|#)[^"]*"', page) == []
    assert "Content-Security-Policy" in page


def test_on_paper_all_is_there_and_light(visit: Any, drawn_report: Path) -> None:
    printed = []
    for theme in ("light", "dark"):
        opened = visit(path=drawn_report, theme=theme)
        page = opened.page
        page.emulate_media(media="print")
        expect(page.locator("body")).to_have_css("background-color", "rgb(252, 252, 250)")
        for hidden in ("#theme", "fieldset", ".heatmap-zoom"):
            assert not page.locator(hidden).first.is_visible()
        assert page.evaluate(
            "[...document.querySelectorAll('.wide, .tall')].every((box) => box.scrollHeight <= box.clientHeight + 1)"
        )
        printed.append(opened.drawn().picture("reordered"))
        assert len(page.pdf()) > 10_000
    np.testing.assert_array_equal(printed[0], printed[1])


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 360)])
def test_axe_finds_nothing_serious(visit: Any, drawn_report: Path, theme: str, width: int) -> None:
    # The page allows its own script alone; axe is another one.
    page = visit(path=drawn_report, theme=theme, width=width, bypass_csp=True).page
    assert grave(page, resultTypes=["violations"]) == []


def test_vector_cells_missing_blocks_and_marks_are_shown(visit: Any, samples: ModuleType, tmp_path: Path) -> None:
    rows, columns = np.arange(200) % 2, np.arange(10) % 2
    values = np.stack([samples.block_matrix(rows, columns, seed=seed) for seed in range(3)], axis=-1)
    values[np.ix_(rows == 1, columns == 0, [1])] = np.random.default_rng(0).exponential(size=(100, 5, 1))
    values[np.ix_(rows == 0, columns == 1)] = np.nan
    folder = samples.write_run_folder(tmp_path / "run", values, rows, columns)
    page = visit(path=render_report(folder)).page
    expect(page.get_by_text("first of 3 components")).to_be_visible()
    captions = page.locator(".block-table caption").all_inner_texts()
    assert [caption.split(":")[0] for caption in captions] == ["Component 0", "Component 1", "Component 2"]
    assert page.locator(".block-table td.no-cell").all_inner_texts() == ["missing"] * 3
    assert [text[0] for text in page.locator(".block-table td b").all_inner_texts()].count("†") == 1
    expect(page.get_by_text(re.compile(r"^† 1 of the 3 blocks"))).to_be_visible()


def test_of_many_clusters_the_largest_are_shown_and_it_says_so(visit: Any, samples: ModuleType, tmp_path: Path) -> None:
    rows, columns = np.arange(900) % 700, np.arange(5) % 5
    folder = samples.write_run_folder(tmp_path / "run", samples.block_matrix(rows, columns), rows, columns)
    opened = visit(path=render_report(folder))
    expect(opened.page.get_by_text("the 60 largest of 700 row clusters")).to_be_visible()
    expect(opened.page.locator("caption", has_text="700 row clusters, the 500 largest")).to_be_visible()
    assert opened.messages == []


@pytest.mark.parametrize(("n", "p"), [(1, 1), (1, 5), (5, 1)])
def test_the_smallest_tables_have_a_report(visit: Any, samples: ModuleType, tmp_path: Path, n: int, p: int) -> None:
    rows, columns = np.arange(n) % min(n, 2), np.arange(p) % min(p, 2)
    values = samples.block_matrix(rows, columns)
    folder = samples.write_run_folder(tmp_path / "run", values, rows, columns, iterations=1)
    opened = visit(path=render_report(folder))
    assert read_out(opened.page.locator("[data-view=reordered]"), 0.95, 0.5)[-1] != "missing"
    assert (opened.picture("reordered")[..., 3] == 255).any()
    assert opened.messages == []


def test_names_of_any_kind_stay_names(visit: Any, samples: ModuleType, tmp_path: Path) -> None:
    evil = "</script><img src=x onerror=alert(1)>"
    names = [evil, "NA", "", "1e5", 'say "x"', "two\nlines"]
    rows, columns = np.arange(12) % 2, np.arange(6) % 2
    folder = samples.write_run_folder(
        tmp_path / "run", samples.block_matrix(rows, columns), rows, columns, column_names=names, name=evil
    )
    opened = visit(path=render_report(folder))
    expect(opened.page.locator("h1")).to_have_text(evil)
    assert read_out(opened.page.locator("[data-view=original]"), 0.2, 0.3)[1] == f"column {evil}"
    assert opened.page.locator("img").count() == 0
    assert opened.messages == []


def test_missing_cells_show_the_hatched_ground(visit: Any, samples: ModuleType, tmp_path: Path) -> None:
    rows, columns = np.arange(40) % 2, np.arange(8) % 2
    values = np.where(rows[:, None] == 0, 1.0, 5.0) * np.ones((40, 8))
    values[:, columns == 1] = np.nan
    folder = samples.write_run_folder(tmp_path / "run", values, rows, columns)
    opened = visit(path=render_report(folder))
    # Beside names below and the borders between clusters.
    picture = opened.picture("reordered")[10:200, ..., :3]
    half = picture.shape[1] // 2
    ground = np.array([252, 252, 250])
    assert (picture[:, 10 : half - 10] != ground).any(axis=2).all()
    missing = (picture[:, half + 10 : -10] == ground).all(axis=2)
    assert 0.4 < missing.mean() < 0.95
    expect(opened.page.locator(".heatmap-missing")).to_be_visible()
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
    assert opened.page.get_by_text("Not settled: columns").is_visible()
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


def table(page: Page, caption: str) -> list[list[str]]:
    """Texts of the cells below a caption."""
    body = page.locator("table", has=page.locator("caption", has_text=re.compile(f"^{caption}"))).locator("tbody tr")
    return [[text.strip() for text in row.locator("th, td").all_inner_texts()] for row in body.all()]


def test_the_tables_of_how_sure_it_is_hold_what_the_draws_say(visit: Any, drawn_report: Path) -> None:
    page = visit(path=drawn_report).page
    assert table(page, "Number of row clusters K") == [
        ["4", "63 %", "shown in this report"],
        ["5", "25 %", ""],
        ["11", "13 %", ""],
    ]
    widths = page.locator("table", has_text="Number of row clusters K").locator(".size-bar i")
    assert [each.get_attribute("style") for each in widths.all()] == ["width: 100%;", "width: 40%;", "width: 20%;"]
    assert table(page, "Both together") == [
        ["4 × 3", "63 %", "shown in this report"],
        ["5 × 3", "25 %", ""],
        ["11 × 3", "13 %", ""],
    ]
    assert table(page, "Convergence") == [
        ["Log joint", "1.004", "142", "151"],
        ["Column clusters L", "not defined", "not defined", "not defined"],
    ]
    assert table(page, "What each chain found") == [
        ["0 shown", "4 × 3", "−100.0", "1.00", "1.00"],
        ["1", "4 × 3", "−600.0", "1.00", "0.70"],
    ]
    assert table(page, "Row clusters mean") == [
        [str(a), *("0.75" if a == b else "0.25" for b in range(4))] for a in range(4)
    ]
    least = table(page, "Least sure rows mean confidence 0.76")
    assert (len(least), least[0][2]) == (10, "0.60")


def test_chains_that_disagree_are_told_once_in_full_and_in_short_at_the_top(visit: Any, drawn_report: Path) -> None:
    page = visit(path=drawn_report).page
    assert page.inner_text("body").count("A sentence on the chains.") == 1
    assert page.locator(".verdict.amber").count() == 1
    head = page.locator("header")
    expect(head.get_by_text("Not settled: columns, R-hat 10.8")).to_be_visible()
    expect(head.get_by_text("Consensus partition, from 200 draws of chain 0 of 2")).to_be_visible()
    expect(page.get_by_text("The result comes from chain 0 alone.")).to_be_visible()


def test_blocks_show_the_posterior_mean_and_its_interval(visit: Any, drawn_report: Path) -> None:
    page = visit(path=drawn_report).page
    lines = page.get_by_role("region", name="Blocks", exact=True).locator("td button").first.inner_text().split("\n")
    mean, low, high = (float(each.replace("−", "-")) for each in (lines[0], *lines[1].split(" to ")))
    assert (mean - low, high - mean) == (pytest.approx(10, abs=0.02), pytest.approx(10, abs=0.02))
    assert lines[2].startswith("± ")


def test_a_pair_of_rows_is_read_out_by_mouse_and_keyboard(visit: Any, drawn_report: Path) -> None:
    page = visit(path=drawn_report).page
    figure = page.locator("[data-view=row-similarity]")
    one, another, together = read_out(figure, 0.9, 0.3)
    assert re.match(r"(2 one rows|one row|\d+ one rows).*cluster [01]", one)
    assert another.endswith("cluster 3")
    assert together.startswith("together in 25 % of the draws")
    page.mouse.move(5, 5)
    figure.locator("canvas").focus()
    page.keyboard.press("ArrowDown")
    expect(figure.locator(".heatmap-status")).to_contain_text("one row")


def test_ranked_colours_are_of_the_matrix_and_not_of_probabilities(visit: Any, drawn_report: Path) -> None:
    opened = visit(path=drawn_report)
    before = {view: opened.picture(view) for view in ("reordered", "row-similarity")}
    opened.page.get_by_role("radio", name="Rank").check()
    opened.page.wait_for_url(re.compile("#colours=rank$"))
    opened.drawn()
    assert (opened.picture("reordered") != before["reordered"]).any()
    np.testing.assert_array_equal(opened.picture("row-similarity"), before["row-similarity"])


def test_every_chain_is_read_out(visit: Any, drawn_report: Path) -> None:
    page = visit(path=drawn_report).page
    assert page.locator(".chart-key li").all_inner_texts() == ["chain 0", "chain 1"]
    chart = page.locator(".chart").first
    over = chart.locator(".u-over")
    over.scroll_into_view_if_needed()
    at = over.bounding_box()
    page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
    told = chart.locator("figcaption span")
    expect(told).to_have_text(re.compile(r"^\d+: "))
    first, second = (
        float(value.replace(",", "").replace("−", "-")) for value in told.inner_text().split(": ")[1].split(" · ")
    )
    assert first - second == pytest.approx(500.0)
    page.mouse.move(5, 5)
    expect(told).to_have_text(re.compile("^consensus "))


def test_the_read_out_of_a_block_has_its_intervals(visit: Any, drawn_report: Path) -> None:
    page = visit(path=drawn_report).page
    figure = page.locator("[data-view=reordered]")
    figure.locator("canvas").focus()
    page.keyboard.press("ArrowDown")
    expect(figure.locator(".heatmap-status")).to_contain_text(re.compile(r"with 95 %: mean .+ to .+, sd .+ to "))


# --- a calibration ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("theme", "width"), [("light", 1280), ("dark", 390)])
def test_a_calibration_rings_the_elbow_and_says_why(visit: Any, tmp_path: Path, theme: str, width: int) -> None:
    powers, fit, error = np.array([0.1, 0.3, 0.5, 1.0]), np.array([-3.0, -1.2, -1.1, -1.0]), np.full(4, 0.01)
    rows, columns = np.array([1.0, 3.0, 8.0, 25.0]), np.array([1.0, 2.0, 2.0, 4.0])
    elbow = choose_power(powers, fit, error, rows, columns)
    page = render_calibration(
        calibration_document("a<b>.csv", powers, fit, error, rows, columns, elbow, "Both ends agree.")
    )
    (tmp_path / "calibration.html").write_text(page, encoding="utf-8")
    opened = visit(path=tmp_path / "calibration.html", theme=theme, width=width, bypass_csp=True)
    expect(opened.page.locator("h1")).to_have_text("a<b>.csv")
    expect(opened.page.locator("figcaption")).to_have_text(f"{elbow.sentence} Both ends agree.")
    ends, ring = opened.page.locator("circle.end"), opened.page.locator("circle.ring")
    assert (ends.count(), ring.count()) == (4, 1)
    assert ring.get_attribute("cx") == ends.nth(elbow.index).get_attribute("cx")
    assert len(opened.page.locator("tbody tr").all()) == 4
    assert opened.page.locator("tbody tr").nth(1).locator("td").all_inner_texts()[-1] == "6.0"
    assert opened.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert grave(opened.page, resultTypes=["violations"]) == []
    assert opened.messages == []
