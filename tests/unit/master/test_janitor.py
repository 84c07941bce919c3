"""What an iteration leaves in the object storage goes when no checkpoint needs it."""

from __future__ import annotations

from disnplbm.objects import open_store
from disnplbm_master.janitor import Janitor
from disnplbm_master.states import States


def test_labels_and_statistics_go_and_the_state_that_came_of_them() -> None:
    store = open_store("memory://")
    states = States(store, inline_bytes=0)
    kept = []
    for iteration in (3, 4, 5):
        _, state_key = states.placed("state", b"state", "run", 0, iteration + 1)
        keys = [f"runs/run/labels/0/{iteration}/0-aa", f"runs/run/statistics/0/{iteration}/0-aa", str(state_key)]
        for key in keys:
            store.put(key, b"1")
        kept += keys if iteration != 4 else []
    janitor = Janitor(store)
    janitor.clear_iteration("run", 0, 4)
    janitor._pool.shutdown()
    assert store.list() == sorted(kept)
