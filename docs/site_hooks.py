"""What the site (mkdocs.yml) adds to docs/: pages from the top of the repository, and links that lead out of docs/."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

#: Files at the top of the repository that are pages of the site, and the pages' names.
PAGES = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md"}

_LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)")


def on_config(config: Any) -> Any:
    """List the pages of the folders that the navigation names."""
    config.nav = expand(config.nav)
    return config


def expand(entry: Any) -> Any:
    """Replace each ``FOLDER/*`` of a navigation by the pages of the folder: its README first, the others by name."""
    if isinstance(entry, list):
        return [expand(part) for part in entry]
    if isinstance(entry, dict):
        return {title: expand(part) for title, part in entry.items()}
    if not entry.endswith("/*"):
        return entry
    names = sorted(path.name for path in (ROOT / "docs" / entry[:-2]).glob("*.md"))
    names.sort(key=lambda name: name != "README.md")
    return [f"{entry[:-1]}{name}" for name in names]


def on_files(files: Any, config: Any) -> Any:
    """Add the pages from the top of the repository."""
    from mkdocs.structure.files import File

    for source, name in PAGES.items():
        files.append(File.generated(config, name, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Make the links of a page lead to where the site has what they name."""
    return rewrite_links(markdown, page.file.src_uri)


def rewrite_links(markdown: str, page: str) -> str:
    """Replace links that are right in the repository by those that are right on the site.

    Parameters
    ----------
    markdown : str
        Text of a page.
    page : str
        Name of the page on the site, such as ``guides/report.md``.

    Returns
    -------
    str
        Links to other pages are relative to this one. A file that is not on the site is named, and not linked.
    """
    sources = {name: source for source, name in PAGES.items()}
    here = posixpath.dirname(sources.get(page, f"docs/{page}"))

    def rewritten(link: re.Match[str]) -> str:
        text, target = link[1], link[2]
        if "://" in target or target.startswith(("#", "mailto:")):
            return link[0]
        file, mark, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(here, file))
        if path in PAGES:
            name = PAGES[path]
        elif path.startswith("docs/"):
            name = path.removeprefix("docs/")
        elif (ROOT / path).exists():
            return f"`{path}`" if text.strip("`") in path else f"{text} (`{path}`)"
        else:
            return link[0]
        return f"[{text}]({posixpath.relpath(name, posixpath.dirname(page) or '.')}{mark}{anchor})"

    return _LINK.sub(rewritten, markdown)
