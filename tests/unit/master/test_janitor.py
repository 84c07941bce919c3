"""What an iteration leaves in the object storage goes when no checkpoint needs it."""

from __future__ import annotations

from pathlib import Path

from disnplbm.objects import open_store
from disnplbm.runs.books import Books
from disnplbm.runs.database import Database, sqlite_url
from disnplbm.runs.iteration_id import IterationId
from disnplbm_master.at_hand import RunsAtHand
from disnplbm_master.janitor import Janitor


def test_labels_and_statistics_go_and_the_state_that_came_of_them(tmp_path: Path) -> None:
    store = open_store("memory://")
    states = RunsAtHand(Books.of(Database(sqlite_url(tmp_path / "runs.sqlite3"))), store, inline_bytes=0)
    kept = []
    for iteration in (3, 4, 5):
        _, state_key = states.inline_or_store("state", b"state", IterationId("run", 0, iteration + 1))
        keys = [f"runs/run/labels/0/{iteration}/0-aa", f"runs/run/statistics/0/{iteration}/0-aa", str(state_key)]
        for key in keys:
            store.put(key, b"1")
        kept += keys if iteration != 4 else []
    janitor = Janitor(store)
    janitor.clear_iteration(IterationId("run", 0, 4))
    janitor._pool.shutdown()
    assert store.list() == sorted(kept)
