"""Runs at which masters die, one after another: such a run fails, and the others go on."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest
from sqlalchemy import select

from disnplbm.engine.options import Options
from disnplbm.runs.books import Books
from disnplbm.runs.chains import ChainStore
from disnplbm.runs.database import DatabaseAway
from disnplbm.runs.database.models import Failure
from disnplbm.runs.failures import FailureStore
from disnplbm.runs.records import Advance, ChainRecord, LedgerEntry
from disnplbm_master.iterations import Iterations
from disnplbm_master.joins import Joins
from faults.customized import customized, is_customized
from faults.reference import Reference
from faults.waiting import until
from faults.without_servers import Serverless
from marks import long
from services.bench import Bench, blocks
from services.cluster import Cluster
from unit.master.serverless import SETTINGS

SHORT = Options(iterations=8)

#: What a master does of an iteration by itself: it begins the join, ends it and steps, and publishes.
PARTS = {"join": (Joins, "_make_empty"), "step": (Iterations, "step"), "tasks": (Iterations, "tasks")}

#: What Python does before a master starts to which one run is deadly.
DEADLY = """
import os
import signal
import time
from pathlib import Path

from disnplbm_master.iterations import Iterations

step = Iterations.step


def deadly(self, chain, joined, entries):
    while not (culprit := Path({culprit!r})).exists():
        time.sleep(0.01)
    if culprit.read_text() == chain.run and chain.iteration == {iteration}:
        os.kill(os.getpid(), signal.SIGKILL)
    return step(self, chain, joined, entries)


Iterations.step = deadly
"""


class Killed(BaseException):
    """As signal 9: nothing is done any more."""


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    found = Bench.of(blocks(tmp_path), tmp_path)
    yield found
    found.database.close()


def kills(monkeypatch: pytest.MonkeyPatch, part: str, deadly: Callable[[ChainRecord], bool]) -> None:
    """Have a part of an iteration end the master, for some chains."""
    owner, name = PARTS[part]
    does = getattr(owner, name)

    def kill(self: Any, chain: ChainRecord, *rest: Any, **options: Any) -> Any:
        if deadly(chain):
            raise Killed
        return does(self, chain, *rest, **options)

    monkeypatch.setattr(owner, name, kill)


def deaths(bench: Bench, cluster: Serverless, run: str) -> int:
    """Start masters until one of them sees the run to an end; how many died."""
    for died in range(10):
        try:
            cluster.end(run)
        except Killed:
            assert bench.service.run(run).state == "RUNNING"
            cluster.start_again()
        else:
            return died
    pytest.fail("masters die for ever")


def counted(bench: Bench) -> list[tuple[int, int]]:
    """Failed starts that are held against runs: the shard, and how many."""
    with bench.database.reading() as session:
        return [(row.shard, row.count) for row in session.scalars(select(Failure))]


@pytest.mark.parametrize("part", PARTS)
def test_a_run_that_kills_three_masters_fails(bench: Bench, monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    culprit = bench.submit(SHORT)
    other = bench.submit(SHORT, dataset=bench.service.run(culprit).dataset_id)
    cluster = Serverless(bench)
    with monkeypatch.context() as patch:
        kills(patch, part, lambda chain: chain.run == culprit)
        assert deaths(bench, cluster, culprit) == SETTINGS.attempts
        found = bench.service.run(culprit)
        assert found.state == "FAILED"
        assert str(found.error).startswith("the master failed 3 times in iteration 0: its process died")
        cluster.end(other)
        assert bench.service.run(other).state == "SUCCEEDED"
    # Resumed with more memory, it goes to its end.
    bench.service.resume(culprit)
    cluster.end(culprit)
    assert bench.record(culprit)["digest"] == bench.record(other)["digest"]
    assert not counted(bench)


@pytest.mark.parametrize("part", PARTS)
def test_the_death_that_comes_without_warning_is_not_counted(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    """In the middle of its work a master writes nothing down: those that come after it do."""
    run = bench.submit(SHORT)
    kills(monkeypatch, part, lambda chain: chain.iteration == 4)
    assert deaths(bench, Serverless(bench), run) == SETTINGS.attempts + 1
    assert "in iteration 4: its process died" in str(bench.service.run(run).error)


def test_a_run_that_comes_on_between_deaths_goes_to_its_end(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    run, left = bench.submit(SHORT), dict.fromkeys(range(8), 2)

    def deadly(chain: ChainRecord) -> bool:
        left[chain.iteration] = left.get(chain.iteration, 0) - 1
        return left[chain.iteration] >= 0

    kills(monkeypatch, "step", deadly)
    cluster = Serverless(bench)
    died = 0
    while bench.service.run(run).state != "SUCCEEDED":
        try:
            cluster.end(run)
        except Killed:
            died += 1
            cluster.start_again()
        assert bench.service.run(run).state != "FAILED"
    assert died == 16
    assert not counted(bench)


def test_errors_and_deaths_at_one_place_count_together(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    run, times = bench.submit(SHORT), 0

    def fails(*_: Any) -> NoReturn:
        nonlocal times
        times += 1
        if times == 2:
            raise Killed
        raise ValueError("nobody thought of this")

    monkeypatch.setattr(Iterations, "step", fails)
    assert deaths(bench, Serverless(bench), run) == 1
    assert times == SETTINGS.attempts
    assert "the master failed 3 times in iteration 0: internal error" in str(bench.service.run(run).error)


def test_a_database_that_goes_away_is_no_death(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    run, cluster = bench.submit(SHORT), Serverless(bench)
    advance, take_back, away = ChainStore.advance, FailureStore.withdraw, 5

    def gone(chains: ChainStore, step: Advance) -> bool:
        nonlocal away
        away -= 1
        if away >= 0:
            raise DatabaseAway("the database is away")
        return advance(chains, step)

    def gone_too(failures: FailureStore, *place: int) -> None:
        if away >= 0:
            raise DatabaseAway("the database is away")
        take_back(failures, *place)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(ChainStore, "advance", gone)
        patch.setattr(FailureStore, "withdraw", gone_too)
        while away > 0:
            with pytest.raises(DatabaseAway):
                cluster.end(run)
    cluster.end(run)
    assert bench.service.run(run).state == "SUCCEEDED"
    assert not counted(bench)


def test_a_fold_that_kills_is_done_again_by_the_step_alone(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the deaths over it are counted where the step is."""
    run = bench.submit(SHORT)

    def dies(_: Joins, entry: LedgerEntry) -> NoReturn:
        raise Killed(entry.shard)

    with monkeypatch.context() as patch:
        patch.setattr(Joins, "fold", dies)
        cluster = Serverless(bench)
        for _ in range(2):
            with pytest.raises(Killed):
                cluster.end(run)
            cluster.start_again()
        # The ledger has both shards.
        cluster.go_on(run, lambda: Books.of(bench.database).chains.live()[0].iteration > 0)


@pytest.mark.parametrize("iteration", [0, long(7)])
def test_killed_for_real(cluster: Cluster, reference: Reference, tmp_path: Path, iteration: int) -> None:
    """Masters end by signal 9 in the column step of one run; another run is submitted beside it."""
    culprit = tmp_path / "culprit"
    deadly = customized(tmp_path / "deadly", DEADLY.format(culprit=str(culprit), iteration=iteration))
    cluster.start_worker()
    run = reference.submit(cluster)
    culprit.with_suffix(".new").write_text(run)
    culprit.with_suffix(".new").rename(culprit)
    other = reference.submit(cluster)
    for _ in range(SETTINGS.attempts + (iteration > 0)):
        master = cluster.start_master(**deadly)
        until(cluster, "the master dies", lambda master=master: not master.running)
        assert is_customized(master)
        assert master._process is not None
        assert master._process.returncode == -signal.SIGKILL
    last = cluster.start_master(**deadly)
    found = cluster.wait(run, "FAILED")
    assert str(found.error).startswith(f"the master failed 3 times in iteration {iteration}: its process died")
    reference.check(cluster, other)
    assert last.running
