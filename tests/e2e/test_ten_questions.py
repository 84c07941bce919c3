"""Ten questions that people ask after a first run, each answered from its page in three steps at most."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from e2e.pages import READY, RUN, run_of
from integration.console import PATIENCE, call
from integration.serving import Server, served

pytestmark = pytest.mark.usefixtures("built_pages")

SHOPS, KINDS = 90, 6
"""Shops of six kinds, which sell 36 goods of three kinds."""

GOODS = [f"{kind}_{number:02d}" for kind in ("bread", "tools", "books") for number in range(12)]

MOST_STEPS = 3


def orders() -> str:
    """Orders of each good in each shop, as CSV: a shop of kind k sells some kinds of goods more than others."""
    rng = np.random.default_rng(5)
    rates = np.array([[9, 1, 1], [1, 9, 1], [1, 1, 9], [6, 6, 1], [1, 6, 6], [6, 1, 6]])
    counts = rng.poisson(rates[np.arange(SHOPS) % KINDS].repeat(12, axis=1))
    lines = [f"shop_{i:02d}," + ",".join(map(str, row)) for i, row in enumerate(counts.tolist())]
    return "\n".join(["shop," + ",".join(GOODS), *lines]) + "\n"


@dataclass
class Run:
    """A finished run."""

    server: Server
    id: str

    def labels(self) -> dict[str, str]:
        """The label of each shop."""
        lines = csv.DictReader(io.StringIO(self.server.file(self.id, "rows.csv").decode()))
        return {line["id"]: line["label"] for line in lines}

    def options(self, run: str) -> dict[str, Any]:
        """The parameters of a run."""
        found: dict[str, Any] = self.server.ask("GET", f"/runs/{run}")[1]["options"]
        return found

    @property
    def record(self) -> dict[str, Any]:
        """run.json."""
        found: dict[str, Any] = json.loads(self.server.file(self.id, "run.json"))
        return found


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Three chains."""
    with served(tmp_path_factory.mktemp("served")) as server:
        dataset = server.upload(orders().encode(), "orders.csv", id_column="shop")
        found = server.submit(dataset, iterations=60, burn_in=30, chains=3, seed=3, cells="counts")
        server.wait(found)
        yield Run(server, found)


@dataclass
class Asking:
    """Somebody with a question, who counts what they do."""

    page: Page
    steps: list[str] = field(default_factory=list)

    def click(self, place: Locator) -> None:
        """Press something."""
        self._step(f"click {place}")
        place.click()

    def write(self, place: Locator, text: str) -> None:
        """Type into a field, or move a slider."""
        self._step(f"write {text!r}")
        place.fill(text)

    def _step(self, what: str) -> None:
        self.steps.append(what)
        assert len(self.steps) <= MOST_STEPS, self.steps


@pytest.fixture
def asking(browser: Browser, run: Run) -> Iterator[Asking]:
    """At the page of the run."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    page.goto(f"http://127.0.0.1:{run.server.port}/runs/{run.id}")
    page.wait_for_selector(READY)
    yield Asking(page)
    context.close()


def slider_of_rows(page: Page) -> Locator:
    return page.get_by_role("slider", name=re.compile("row clusters"))


def test_1_give_me_five_clusters(asking: Asking) -> None:
    page = asking.page
    asking.write(slider_of_rows(page), "5")
    expect(page.locator(".heatmap-box canvas")).to_have_attribute("aria-label", re.compile("5 row clusters"))
    expect(page.get_by_role("button", name=re.compile("^Show row cluster"))).to_have_count(5)


def test_2_what_makes_cluster_2(asking: Asking, run: Run) -> None:
    panel = asking.page.get_by_role("article", name="What makes row cluster 2")
    # Of what sells most there, and of nothing else: the goods of a shop of that kind.
    shop = next(name for name, label in run.labels().items() if label == "2")
    counts = dict(csv_rows(orders()))[shop]
    best = max(
        ("bread", "tools", "books"), key=lambda kind: sum(n for good, n in counts.items() if good.startswith(kind))
    )
    expect(panel).to_contain_text(re.compile(rf"High in [^;]*{best}_\d\d"))
    expect(panel).to_contain_text("Typical: shop_")
    asking.click(panel.get_by_text(re.compile("sets? it apart")))
    expect(panel.get_by_role("row").filter(has_text=best).first).to_be_visible()


def csv_rows(text: str) -> Iterator[tuple[str, dict[str, int]]]:
    for line in csv.DictReader(io.StringIO(text)):
        yield line["shop"], {good: int(line[good]) for good in GOODS}


def test_3_where_is_a_row_and_who_is_with_it(asking: Asking, run: Run) -> None:
    page, labels = asking.page, run.labels()
    label = labels["shop_17"]
    asking.write(page.get_by_role("searchbox"), "shop_17")
    found = page.get_by_role("button", name=f"cluster {label}", exact=True)
    expect(found).to_be_visible()
    asking.click(found)
    listed = page.get_by_role("dialog").get_by_role("listitem")
    expect(listed).to_have_count(sum(each == label for each in labels.values()))
    expect(listed.filter(has_text="shop_17")).to_have_count(1)


def test_4_how_sure_is_it(asking: Asking, run: Run) -> None:
    page, sure = asking.page, run.record["posterior"]["mean_confidence"]["rows"]
    said = page.get_by_label("What was found")
    expect(said).to_contain_text(f"Row labels are {100 * sure:.0f} % certain on average")
    # And of fewer clusters.
    asking.write(slider_of_rows(page), "3")
    curves = run.record["level_curves"]["rows"]
    at_three = curves["confidence"][curves["levels"].index(3)]
    expect(page.get_by_text("How certain labels are at this level")).to_contain_text(f"rows {100 * at_three:.0f} %")
    column = page.get_by_role("region", name="Row clusters").get_by_title(re.compile("^Mean confidence"))
    expect(column).to_have_text([f"{100 * each:.0f} %" for each in curves["cluster_confidence"][1]])


def test_5_which_level(asking: Asking) -> None:
    page = asking.page
    asking.click(page.get_by_role("button", name=re.compile("^(Why this|Which) level")))
    expect(page.get_by_role("heading", name="Which level")).to_be_in_viewport()
    expect(page.get_by_text(re.compile("^Shown first: "))).to_be_in_viewport()
    expect(page.get_by_role("img", name=re.compile("^Agreement and confidence by number of row"))).to_be_in_viewport()


def test_6_do_the_chains_agree_and_on_what_not(asking: Asking, run: Run) -> None:
    record = run.record
    expect(asking.page.get_by_label("What was found")).to_contain_text(record["diagnosis"]["sentence"])
    doubt = asking.page.locator(".facts .doubtful")
    if record["verdict"]["kind"] in ("short", "stuck"):
        named = [axis for axis in ("rows", "columns") if record["verdict"][axis] == record["verdict"]["kind"]]
        expect(doubt).to_have_text(re.compile("Not settled: .*".join(["", *named])))
    else:
        expect(doubt).to_have_count(0)


def test_7_the_labels_as_a_file(asking: Asking, run: Run) -> None:
    asking.write(slider_of_rows(asking.page), "5")
    with asking.page.expect_download() as download:
        asking.click(asking.page.get_by_role("button", name="Save the labels of the rows"))
    lines = list(csv.DictReader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8"))))
    assert {line["id"] for line in lines} == set(run.labels())
    assert {line["label"] for line in lines} - {"-1"} == set("01234")
    # Shops that are together in the run stay so.
    merged = {(run.labels()[line["id"]], line["label"]) for line in lines}
    assert len(merged) == len({fine for fine, _ in merged})


def test_8_a_picture_for_a_slide(asking: Asking) -> None:
    with asking.page.expect_download() as download:
        asking.click(asking.page.get_by_role("button", name="Save as PNG"))
    picture = Path(download.value.path()).read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert int.from_bytes(picture[16:20]) == 2560


def test_9_the_same_with_another_seed(asking: Asking, run: Run) -> None:
    page = asking.page
    asking.click(page.get_by_role("button", name="Clone"))
    asking.click(page.get_by_role("button", name="Start"))
    expect(page).not_to_have_url(re.compile(run.id))
    expect(page).to_have_url(RUN)
    before, after = run.options(run.id), run.options(run_of(page))
    assert before["seed"] != after["seed"]
    assert after | {"seed": before["seed"]} == before


def test_10_the_command_that_repeats_it(
    asking: Asking, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = asking.page
    command = page.locator(".again pre").inner_text()
    (tmp_path / "orders.csv").write_text(orders(), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    name, *words = shlex.split(command.replace("\\\n", " "))
    assert name == "disnplbm"
    done = call(*words, "--output", tmp_path / "again")
    assert done.code == 0, done.err
    assert json.loads((tmp_path / "again" / "run.json").read_text())["digest"] == run.record["digest"]
