"""Files as people have them, read on the page: asked once, uploaded once."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from e2e.pages import run_of
from integration.serving import Server, served

pytestmark = pytest.mark.usefixtures("built_pages")

GENES = 60_000

TEXTS = "sample,site,kind,a,b\n" + "".join(
    f"s{i},{'xyz'[i % 3]},{'ill' if i % 2 else 'well'},{i % 5},{'?' if i == 7 else i % 7}\n" for i in range(20)
)

DECIMAL_COMMAS = "id;a;b\n" + "".join(f"r{i};{i % 4},5;{i % 3},25\n" for i in range(20))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served(tmp_path_factory.mktemp("served")) as server:
        yield server


def choose(page: Page, path: Path, content: str) -> list[str]:
    """Choose a file; requests that send parts of it, as they come."""
    path.write_text(content)
    sent: list[str] = []
    page.on(
        "request", lambda request: request.method == "PUT" and "/parts/" in request.url and sent.append(request.url)
    )
    page.get_by_label("File with a table").set_input_files(path)
    return sent


def test_a_table_that_is_refused_is_read_by_one_press_and_not_sent_again(
    server: Server, visit: Any, tmp_path: Path
) -> None:
    page = visit(server, "/runs/new", calm=False)
    sent = choose(page, tmp_path / "texts.csv", TEXTS)
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_role("button", name="Upload and check").click()
    page.wait_for_url("**dataset=*")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("It can be read like this")
    expect(alert).not_to_contain_text("--")
    page.get_by_role("button", name="Read it with these changes").click()
    expect(page.get_by_text("20 × 2")).to_be_visible()
    expect(page.locator("summary", has_text="How the file is read")).to_contain_text("Left out: kind")
    page.get_by_label("Iterations", exact=True).fill("3")
    page.get_by_role("button", name="Start the run").click()
    assert server.wait(run_of(page))["dataset"]["columns"] == 2
    assert len(sent) == 1


def test_what_the_server_proposes_is_taken_before_the_upload(server: Server, visit: Any, tmp_path: Path) -> None:
    page = visit(server, "/runs/new")
    sent = choose(page, tmp_path / "texts.csv", TEXTS)
    preview = page.get_by_role("region", name="First rows of the file")
    expect(preview.get_by_role("columnheader")).to_have_text(["sample names", "site", "kind", "a", "b"])
    alert = page.get_by_role("alert")
    expect(alert.get_by_role("listitem")).to_have_text(["Known classes: site", "Left out: kind", "Missing, too: “?”"])
    expect(alert).not_to_contain_text("--")
    page.get_by_role("button", name="Read it with these changes").click()
    expect(alert).to_have_count(0)
    expect(preview.get_by_role("columnheader")).to_have_text(
        ["sample names", "site classes", "kind left out", "a", "b"]
    )
    expect(page.get_by_label("Known classes of the rows")).to_have_value("site")
    assert sent == []
    page.get_by_role("button", name="Upload and check").click()
    expect(page.get_by_text("20 × 2")).to_be_visible()
    expect(page.locator(".facts", has_text="Missing cells")).to_contain_text("1")


def test_an_uploaded_file_is_read_in_another_way(server: Server, visit: Any, tmp_path: Path) -> None:
    page = visit(server, "/runs/new")
    sent = choose(page, tmp_path / "commas.csv", DECIMAL_COMMAS)
    preview = page.get_by_role("region", name="First rows of the file")
    expect(preview.get_by_role("columnheader")).to_have_text(["id names", "a", "b"])
    expect(page.get_by_text("Cells are separated by semicolons · Numbers have a decimal comma")).to_be_visible()
    page.get_by_role("button", name="Upload and check").click()
    expect(page.get_by_text("20 × 2")).to_be_visible()
    page.locator("summary", has_text="How the file is read").click()
    page.get_by_label("Columns to leave out").select_option("b")
    page.get_by_role("button", name="Read it like this").click()
    expect(page.get_by_text("20 × 1")).to_be_visible()
    page.locator("summary", has_text="How the file is read").click()
    page.locator("summary", has_text="Separator, decimal mark").click()
    page.get_by_label("Swap rows and columns").check()
    page.get_by_role("button", name="Read it like this").click()
    expect(page.get_by_text("1 × 20")).to_be_visible()
    assert len(sent) == 1
    # Where the file is not at hand any more, columns are named by typing.
    page.reload()
    page.locator("summary", has_text="How the file is read").click()
    page.get_by_label("Columns to leave out").fill("a")
    page.get_by_role("button", name="Add").first.click()
    page.get_by_role("button", name="Do not list b").click()
    page.get_by_role("button", name="Read it like this").click()
    expect(page.locator("summary", has_text="How the file is read")).to_contain_text("Left out: a")
    expect(page.get_by_text("1 × 20")).to_be_visible()


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_what_the_server_finds_can_be_overruled(server: Server, visit: Any, tmp_path: Path, ending: str) -> None:
    """Years name the columns, which a look at the cells alone does not tell; the separator is a tab."""
    path = tmp_path / f"years.tsv{ending}"
    text = "2001\t2002\t2003\t2004\t2005\n" + "".join(f"{i}.5\t{i % 7}.1\t3\t{i % 5}.2\t1\n" for i in range(30))
    path.write_bytes(gzip.compress(text.encode()) if ending else text.encode())
    page = visit(server, "/runs/new")
    page.get_by_label("File with a table").set_input_files(path)
    preview = page.get_by_role("region", name="First rows of the file")
    expect(preview.get_by_role("columnheader")).to_have_text(["2001", "2002", "2003", "2004", "2005"])
    expect(page.get_by_label("First line")).to_contain_text("Automatic: column names")
    page.get_by_label("First line").select_option("No, it is a row of the table")
    expect(preview.get_by_role("columnheader")).to_have_text(["0", "1", "2", "3", "4"])
    page.locator("summary", has_text="Separator, decimal mark").click()
    page.get_by_label("Separator of cells").select_option("Tab")
    page.get_by_role("button", name="Upload and check").click()
    expect(page.get_by_text("31 × 5")).to_be_visible()


def test_what_a_note_proposes_is_done_by_its_button(server: Server, visit: Any, tmp_path: Path) -> None:
    page = visit(server, "/runs/new")
    sent = choose(page, tmp_path / "ids.csv", "id,a,b\n" + "".join(f"{i},{i % 4}.5,{i % 3}\n" for i in range(20)))
    page.get_by_role("button", name="Upload and check").click()
    expect(page.get_by_text("20 × 2")).to_be_visible()
    notes = page.get_by_role("note", name="Notes")
    expect(notes).to_contain_text("The first column holds row names")
    notes.get_by_role("button", name="Names of the rows: none").click()
    expect(page.get_by_text("20 × 3")).to_be_visible()
    expect(notes.get_by_role("button", name="Names of the rows: none")).to_have_count(0)
    expect(page.locator("summary", has_text="How the file is read")).to_contain_text("No column names the rows")
    assert len(sent) == 1


def test_a_word_among_numbers_is_read_as_missing_by_its_button(server: Server, visit: Any, tmp_path: Path) -> None:
    page = visit(server, "/runs/new", calm=False)
    rows = "".join(f"s{i},{'n/d' if i % 7 == 3 else i % 4}.5,{i % 3}\n".replace("n/d.5", "n/d") for i in range(20))
    choose(page, tmp_path / "words.csv", f"id,a,b\n{rows}")
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("'n/d' is not a number")
    alert.get_by_role("button", name="Text that marks a missing cell: n/d").click()
    expect(alert).to_have_count(0)
    page.get_by_role("button", name="Upload and check").click()
    expect(page.get_by_label("What is in the table")).to_contain_text("Missing cells3")


def test_columns_that_look_like_classes_are_marked(server: Server, visit: Any, tmp_path: Path) -> None:
    page = visit(server, "/runs/new")
    text = "a,group,b\n" + "".join(f"{i}.5,{i % 2},{i % 3}.25\n" for i in range(40))
    choose(page, tmp_path / "classes.csv", text)
    preview = page.get_by_role("region", name="First rows of the file")
    expect(preview.get_by_role("columnheader")).to_have_text(["a", "group classes?", "b"])
    expect(page.get_by_role("note")).to_contain_text("Column group looks like known classes")
    page.get_by_label("Known classes of the rows").select_option("group")
    expect(preview.get_by_role("columnheader")).to_have_text(["a", "group classes", "b"])
    expect(page.get_by_role("note")).to_have_count(0)


def test_a_file_without_lines_says_when_it_is_looked_into(server: Server, visit: Any, tmp_path: Path) -> None:
    page = visit(server, "/runs/new")
    np.save(tmp_path / "x.npy", np.zeros((3, 2)))
    page.get_by_label("File with a table").set_input_files(tmp_path / "x.npy")
    expect(page.get_by_text("looks into a file of this kind once it is uploaded")).to_be_visible()


def test_a_table_of_a_whole_transcriptome_is_seen_and_read(server: Server, visit: Any, tmp_path: Path) -> None:
    page = visit(server, "/runs/new")
    lines = ["sample," + ",".join(f"gene_{j}" for j in range(GENES))]
    lines += [f"s{i}," + ",".join(str((i * 7 + j) % 10) for j in range(GENES)) for i in range(8)]
    choose(page, tmp_path / "wide.csv", "\n".join(lines) + "\n")
    preview = page.get_by_role("region", name="First rows of the file")
    expect(preview).to_contain_text("and 59,991 more")
    expect(page.get_by_text("Row names: sample")).to_be_visible()
    page.get_by_role("button", name="Upload and check").click()
    expect(page.get_by_text("8 × 60,000")).to_be_visible()


@pytest.mark.parametrize("width", [360, 1280])
def test_the_questions_fit_the_page(server: Server, visit: Any, tmp_path: Path, width: int) -> None:
    page = visit(server, "/runs/new", width=width, calm=False)
    choose(page, tmp_path / "texts.csv", TEXTS.replace("site", "W" * 150))
    expect(page.get_by_role("alert")).to_be_visible()
    page.locator("summary", has_text="Separator, decimal mark").click()
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    page.get_by_role("button", name="Upload and check").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.locator("summary", has_text="How the file is read").click()
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
