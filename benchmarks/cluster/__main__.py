"""Measure a cluster and write docs/cluster-benchmarks.md: ``python -m benchmarks.cluster [PART...]``."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.cluster import caches, load, overhead, scaling
from benchmarks.cluster.servers import Servers
from benchmarks.machine import description

_DOCS = Path(__file__).resolve().parents[2] / "docs"

_PARTS: dict[str, Callable[[Servers], str]] = {
    "overhead": overhead.section,
    "scaling": scaling.section,
    "caches": caches.section,
    "load": load.section,
}

_TEXT = """# Benchmarks of the cluster

Written by `make bench-cluster` in {minutes:.0f} minutes. RabbitMQ, Redis and PostgreSQL run on the same machine as
master and workers, so that all of them share its processors; objects lie in a folder.

{machine}

{sections}
"""


def main() -> None:
    """Measure all parts, or those named."""
    began = time.perf_counter()
    names = sys.argv[1:] or list(_PARTS)
    machine = description()
    sections = []
    with Servers.started() as servers:
        for name in names:
            print(f"{name} ...", flush=True)
            sections.append(_PARTS[name](servers))
            print(sections[-1], flush=True)
    if set(names) == set(_PARTS):
        text = _TEXT.format(minutes=(time.perf_counter() - began) / 60, machine=machine, sections="\n\n".join(sections))
        (_DOCS / "cluster-benchmarks.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
