"""A cluster's run on a table of several parts, whatever happens to it, is that of fit."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from birds import birds, save
from disnplbm.data.mixed.manifest import ManifestOfParts
from disnplbm.data.reading import Reading
from disnplbm.engine.fit import prepare_run, run
from disnplbm.engine.folder import RunFolder
from disnplbm.engine.options import Options
from disnplbm.engine.parts import open_tables, prepare_parts, read_parts
from disnplbm.messaging.messages import Ingested, IngestTask, Prepared, SweepTask
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.request import Request
from marks import long

from .serverless import Bag, Memory, Task, Worker
from .test_orchestration import SHARDS, Disturbed, agrees


@pytest.mark.parametrize("seed", [0, long(1), long(2)])
@pytest.mark.parametrize("sampler", ["split-merge", long("collapsed")])
def test_the_run_is_that_of_fit(tmp_path: Path, sampler: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # Two kinds of columns: each set of kinds has kernels of its own.
    table = save(birds()[["bill", "sex", "flipper", "ringed", "mass"]], tmp_path / "birds.csv")
    options = Options(
        cells="mixed", beta="learn", iterations=5, burn_in=3, draws=2, restarts=2, sampler=sampler, seed=seed
    )
    expected = fitted(table, tmp_path / "fit", options)
    disturbed = DisturbedParts(table, tmp_path, options, seed, monkeypatch)
    agrees(disturbed.outcome(), expected)
    disturbed.restore_its_end()
    agrees(disturbed.outcome(), expected)


def fitted(table: Path, folder: Path, options: Options) -> dict[str, Any]:
    """What run.json says of a fit with three shards."""
    source = open_tables([table], Reading(), options.cells, None)
    with RunFolder.stage(folder, force=False) as target:
        prepare_run(target, source, Request("x", "x", n_shards=SHARDS), options, silent)
    return run(target, 1, silent, lambda: nullcontext(lambda: False))


def silent(stage: str, done: int, total: int, note: str = "") -> None:
    """No progress."""


class DisturbedParts(Disturbed):
    """A run on a table of several parts, that everything happens to."""

    def __init__(self, table: Path, folder: Path, options: Options, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self._table, self._options, self._manifest = table, options, None
        super().__init__(table, folder, options, seed, monkeypatch)

    def _new_worker(self) -> Worker:
        if self._manifest is None:
            self._manifest = prepared(self._table, self._store, self._options)
        inline_bytes = self._chance.choice([0, 2**18])
        return WorkerOfParts(self._store, self._bag, self._mirror, inline_bytes, self._manifest)


def prepared(table: Path, store: ObjectStore, options: Options) -> ManifestOfParts:
    """The table in the cluster's store."""
    source = open_tables([table], Reading(), options.cells, None)
    dataset = read_parts(source, store, "datasets/birds", lambda done, total: None, {})
    return prepare_parts(source, dataset, store, "shards/birds", Request("x", "x", SHARDS), options)


class WorkerOfParts(Worker):
    """A worker that finds the table read and cut."""

    def __init__(
        self, store: ObjectStore, bag: Bag, mirror: Memory, inline_bytes: int, manifest: ManifestOfParts
    ) -> None:
        super().__init__(store, bag, mirror, inline_bytes)
        self._report, self._manifest = bag.report, manifest

    def do(self, task: Task) -> None:
        found = self._manifest
        if isinstance(task, SweepTask):
            super().do(task)
        elif isinstance(task, IngestTask):
            sha, seal = found.dataset_sha256, found.parts[0].dataset_seal or ""
            self._report(Ingested(task.dataset, task.prefix, found.n, found.p, 1, sha, 0, seal))
        else:
            self._report(Prepared(task.run, found.prefix, found.n_shards, found.seal))
