"""The list of runs where there are many of them, asked for by one client."""

from __future__ import annotations

import json
from urllib.parse import urlencode

from benchmarks.dashboard.asking import Asking
from benchmarks.dashboard.figures import latency
from benchmarks.dashboard.ground import Ground
from benchmarks.dashboard.history import DATASETS, RUNS
from benchmarks.tables import figure_table
from disnplbm_dashboard.lists.sorting import SORTS

BAR = 0.2

#: Runs of a page of the list, as the dashboard's own page asks for them.
PAGE = 100

_TIMES = 100

#: Pages of each order.
_PAGES = 10


def section(ground: Ground) -> str:
    """Filters and searches, and all pages one after another."""
    made = ground.history
    asked = {
        "the newest": [{}] * _TIMES,
        "runs of one state": [{"state": state} for state in ("FAILED", "CANCELLED", "PAUSED", "SUCCEEDED")] * 25,
        "runs of one dataset": [{"dataset": dataset} for dataset in made.datasets] * 2,
        "a text in the names of a few hundred": [{"search": f"cohort-{i % DATASETS:02d}"} for i in range(_TIMES)],
        "a text in no name": [{"search": f"nothing {i}"} for i in range(_TIMES)],
    }
    figures = []
    with ground.serving() as server, Asking(server.port) as asking:
        for what, queries in asked.items():
            figures.append(latency(what, asking.timed(address(**query) for query in queries), BAR))
        figures.append(latency("all pages from the newest to the oldest", _pages(asking, RUNS), BAR))
        for name in SORTS:
            times = [each for sign in ("", "-") for each in _pages(asking, _PAGES, sort=sign + name)]
            figures.append(latency(f"sorted by {name}, either way, the first {_PAGES} pages", times, BAR))
    return f"""## The list of {RUNS:,} runs

{RUNS:,} runs of {DATASETS} datasets, with {made.iterations:,} rows of traces, in SQLite. One client, one question after
another, {PAGE} runs a page as the dashboard asks for them; times until the answer was read.

{figure_table(figures)}"""


def address(**query: str) -> str:
    """Of a page of the list."""
    return f"/api/v1/runs?{urlencode({**query, 'limit': PAGE})}"


def _pages(asking: Asking, most: int, **query: str) -> list[float]:
    """Seconds of so many pages, one after another from the first."""
    times: list[float] = []
    path: str | None = address(**query)
    while path is not None and len(times) < most:
        took, body = asking.timed_get(path)
        times.append(took)
        cursor = json.loads(body)["next"]
        path = None if cursor is None else address(cursor=cursor, **query)
    return times
