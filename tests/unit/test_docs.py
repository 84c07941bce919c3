"""The docs say what is so."""

from __future__ import annotations

import importlib
import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import disnplbm

REPOSITORY = Path(__file__).resolve().parents[2]
DOCS = REPOSITORY / "docs"
PAGES = [*REPOSITORY.glob("*.md"), *DOCS.rglob("*.md")]

LINK = re.compile(r"\]\(([^)\s]+)\)")


def load(name: str) -> Any:
    """A program of docs/."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


HOOKS = load("site_hooks")


@pytest.mark.parametrize("name", ["cli", "settings", "openapi", "http_api", "options"])
def test_what_is_written_from_the_code_is_what_the_code_says(name: str) -> None:
    module = load(f"build_{name}")
    assert module.TARGET.read_text(encoding="utf-8") == module.text(), "run `make generated`"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_links_lead_somewhere(page: Path) -> None:
    broken = []
    for link in LINK.findall(without_code(page.read_text(encoding="utf-8"))):
        file, _, anchor = link.partition("#")
        target = page if not file else page.parent / file
        if "://" in link or (target.is_dir() and not anchor):
            continue
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


def test_a_link_to_a_heading_that_is_not_there_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("## How sure?\n\n```\n# no heading\n```\n## How sure?\n", encoding="utf-8")
    assert anchors(page) == {"how-sure", "how-sure_1"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_files_of_the_repository_that_a_page_names_are_there(page: Path) -> None:
    named = re.findall(r"`((?:[\w.-]+/)+[\w-]+\.(?:py|ts|tsx|yml|sh|toml|md))`", page.read_text(encoding="utf-8"))
    roots = (REPOSITORY, REPOSITORY / "shared/disnplbm", REPOSITORY / "dashboard/web/src")
    assert [path for path in named if not any((root / path).exists() for root in roots)] == []


def test_the_navigation_of_the_site_has_every_page_once() -> None:
    config = yaml.safe_load((REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8"))
    listed = sorted(leaves(HOOKS.expand(config["nav"])))
    there = sorted([*(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")), *HOOKS.PAGES.values()])
    assert listed == there


def test_the_site_asks_nothing_of_other_servers() -> None:
    config = yaml.safe_load((REPOSITORY / "mkdocs.yml").read_text(encoding="utf-8"))
    assert config["theme"]["font"] is False
    assert not {"repo_url", "extra_javascript"} & config.keys()
    assert all("://" not in name for name in config.get("extra_css", []))


@pytest.mark.parametrize(
    ("page", "markdown", "on_the_site"),
    [
        ("guides/report.md", "[a](../faq.md#b)", "[a](../faq.md#b)"),
        ("cli.md", "[changes](../CHANGELOG.md)", "[changes](changelog.md)"),
        ("changelog.md", "[proxy](docs/proxy.md)", "[proxy](proxy.md)"),
        ("kubernetes.md", "[k8s](../k8s)", "`k8s`"),
        ("kubernetes.md", "[its parts](../k8s)", "its parts (`k8s`)"),
        ("faq.md", "[x](#y) [z](https://example.org)", "[x](#y) [z](https://example.org)"),
    ],
)
def test_links_that_lead_out_of_the_docs_are_those_of_the_site(page: str, markdown: str, on_the_site: str) -> None:
    assert HOOKS.rewrite_links(markdown, page) == on_the_site


def test_what_the_readme_says_of_the_demo_is_what_a_tested_page_prints() -> None:
    tested = "".join((DOCS / name).read_text(encoding="utf-8") for name in ("quickstart.md", "tutorial-documents.md"))
    said = re.findall(
        r"^ *((?:data|clusters|level|cluster \d|log joint|chains|rows|columns) {2,}.*?)(?: \.\.\.)?$",
        (REPOSITORY / "README.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert len(said) >= 5
    assert [line for line in said if line not in tested] == []


def leaves(entry: Any) -> list[str]:
    """The pages in a navigation."""
    if isinstance(entry, str):
        return [entry]
    parts = entry if isinstance(entry, list) else entry.values()
    return [page for part in parts for page in leaves(part)]


def without_code(text: str) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as MkDocs names them."""
    found: dict[str, int] = {}
    names = set()
    for heading in re.findall(r"^#+ (.+)$", without_code(page.read_text(encoding="utf-8")), re.MULTILINE):
        slug = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())
        names.add(slug if slug not in found else f"{slug}_{found[slug]}")
        found[slug] = found.get(slug, 0) + 1
    return names


def test_the_changelog_has_each_section_once_and_no_line_twice() -> None:
    for version in (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1:]:
        sections = re.findall(r"^### (.+)$", version, re.MULTILINE)
        assert sections == [name for name in ("Added", "Changed", "Fixed", "Security") if name in sections]
        entries = re.findall(r"^- .+$", version, re.MULTILINE)
        assert len(entries) == len(set(entries))


def test_type_checkers_and_the_python_reference_know_every_public_name() -> None:
    stub = (REPOSITORY / "shared/disnplbm/__init__.pyi").read_text(encoding="utf-8")
    shown = re.findall(r"^::: ([\w.]+)$", (DOCS / "api.md").read_text(encoding="utf-8"), re.MULTILINE)
    for name in disnplbm.__all__:
        assert re.search(rf"^(from \S+ import {name} as {name}|{name}: str)$", stub, re.MULTILINE), name
        assert name == "__version__" or name in {path.rpartition(".")[2] for path in shown}
    for path in shown:
        module, _, name = path.rpartition(".")
        assert getattr(importlib.import_module(module), name).__doc__
