"""Measure the dashboard and write docs/dashboard-benchmarks.md: ``python -m benchmarks.dashboard [PART...]``."""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.dashboard import browsing, listing, load, pictures, uploads
from benchmarks.dashboard.ground import Ground
from benchmarks.machine import description
from disnplbm.machine import usable_cores

_PAGE = Path(__file__).resolve().parents[2] / "docs" / "dashboard-benchmarks.md"

_PARTS: dict[str, Callable[[Ground], str]] = {
    "load": load.section,
    "listing": listing.section,
    "pictures": pictures.section,
    "pages": browsing.section,
    "uploads": uploads.section,
}

_TEXT = """# Benchmarks of the dashboard

Written by `make bench-dashboard` in {minutes:.0f} minutes, against `disnplbm serve` as a process of its own, with
SQLite and a folder; who asks runs on the same machine.

{machine}

{sections}
"""


def main() -> None:
    """Measure all parts, or those named."""
    parser = argparse.ArgumentParser(prog="benchmarks.dashboard", description=__doc__)
    parser.add_argument("part", nargs="*", choices=[[], *_PARTS])
    names = parser.parse_args().part or list(_PARTS)
    if shutil.which("chromium") is None:
        raise SystemExit("chromium is missing: apt-get install chromium")
    began = time.perf_counter()
    machine = description()
    sections = []
    with tempfile.TemporaryDirectory(prefix="disnplbm-bench-") as folder:
        ground = Ground(Path(folder) / "served", usable_cores())
        for name in names:
            print(f"{name} ...", flush=True)
            sections.append(_PARTS[name](ground))
            print(sections[-1], flush=True)
    if set(names) == set(_PARTS):
        minutes = (time.perf_counter() - began) / 60
        text = _TEXT.format(minutes=minutes, machine=machine, sections="\n\n".join(sections))
        _PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
