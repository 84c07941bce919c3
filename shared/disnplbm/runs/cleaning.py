"""What may go from the object store and the database, found by comparing the two.

The master, the dashboard and ``delete`` remove what they no longer need. What they missed, because the storage was away
or they were killed, nobody names any more: it is found here.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import select

from disnplbm.objects.store import Entry, ObjectStore
from disnplbm.runs.checkpoints import is_retained
from disnplbm.runs.database import Database
from disnplbm.runs.database.models import Chain, Dataset, PartialUpload, Run
from disnplbm.runs.part import now
from disnplbm.runs.results import WORK, work_prefixes
from disnplbm.runs.states import TERMINAL

_SHARDS = re.compile(r"[0-9a-f]+-([0-9a-f]+)-.*")


class Litter(NamedTuple):
    """Objects that may go.

    Parameters
    ----------
    why : str
        In a few words.
    prefix : str
        Under which they all are.
    bytes : int
        Of all objects.
    """

    why: str
    prefix: str
    keys: list[str]
    bytes: int


def find_litter(database: Database, store: ObjectStore, age: timedelta) -> Iterator[Litter]:
    """Find objects that nothing names, or that no run continues from.

    Parameters
    ----------
    age : timedelta
        Younger ones stay: their row may still be on its way, or their writer be about to remove them.
    """
    # Listed before the database is asked: what is made meanwhile is not in the list.
    groups = _by_prefix(store)
    before = now() - age
    with database.reading() as session:
        # In the order in which an upload becomes a dataset, so that it is not missed between the two.
        uploads = set(session.scalars(select(PartialUpload.id)))
        datasets = set(session.scalars(select(Dataset.id)))
        states = {run: state for run, state in session.execute(select(Run.id, Run.state))}  # noqa: C416 - a row is no pair to mypy
        iterations = {
            (run, str(stream)): iteration
            for run, stream, iteration in session.execute(select(Chain.run_id, Chain.stream, Chain.iteration))
        }
    named = {"uploads": uploads | datasets, "datasets": datasets, "shards": datasets, "runs": states.keys()}
    for (kind, name), entries in groups.items():
        subject = _SHARDS.sub(r"\1", name) if kind == "shards" else name
        if subject not in named[kind]:
            # All or nothing: of a large upload the first parts may be old.
            if max(entry.modified for entry in entries) < before:
                yield _litter("named by nothing", f"{kind}/{name}", entries)
        elif kind == "runs" and states[subject] in TERMINAL:
            work = tuple(f"{prefix}/" for prefix in work_prefixes(subject))
            yield from _old("left by a run that is over", f"runs/{name}", before, entries, work)
        elif kind == "runs":
            done = (entry for entry in entries if _is_done(entry.key, iterations))
            yield from _old("of iterations that no checkpoint needs", f"runs/{name}", before, done)


def old_runs(database: Database, age: timedelta) -> list[str]:
    """Runs that succeeded or were cancelled longer ago than that, the oldest first."""
    over = [state.value for state in TERMINAL]
    query = select(Run.id).where(Run.state.in_(over), Run.finished_at < now() - age).order_by(Run.finished_at)
    with database.reading() as session:
        return list(session.scalars(query))


def old_datasets(database: Database, age: timedelta) -> list[str]:
    """Datasets that are older than that and that no run uses, the oldest first."""
    used = select(Run.id).where(Run.dataset_id == Dataset.id).exists()
    query = select(Dataset.id).where(Dataset.created_at < now() - age, ~used).order_by(Dataset.created_at)
    with database.reading() as session:
        return list(session.scalars(query))


def _by_prefix(store: ObjectStore) -> dict[tuple[str, str], list[Entry]]:
    """Everything in the store, by what kind it is and which one."""
    groups = defaultdict(list)
    for kind in ("uploads", "datasets", "shards", "runs"):
        for entry in store.entries(kind):
            groups[kind, entry.key.split("/")[1]].append(entry)
    return dict(sorted(groups.items()))


def _is_done(key: str, iterations: dict[tuple[str, str], int]) -> bool:
    """Whether an object is of an iteration that the run neither works on nor goes back to."""
    _, run, kind, *rest = key.split("/")
    if kind not in WORK or len(rest) != 3 or not rest[1].isdigit():
        return False
    at = iterations.get((run, rest[0]))
    # A checkpoint for iteration t needs the state for t, and the labels of t - 1.
    return at is not None and not is_retained(int(rest[1]) + (kind != "states"), at)


def _old(
    why: str, prefix: str, before: datetime, entries: Iterable[Entry], under: tuple[str, ...] = ("",)
) -> Iterator[Litter]:
    found = [entry for entry in entries if entry.modified < before and entry.key.startswith(under)]
    if found:
        yield _litter(why, prefix, found)


def _litter(why: str, prefix: str, entries: list[Entry]) -> Litter:
    return Litter(why, prefix, [entry.key for entry in entries], sum(entry.bytes for entry in entries))
