"""A run at which the process dies again and again: it fails, and the others go on."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

import pytest

from disnplbm.engine.drive import Stopped
from disnplbm.engine.options import Options
from disnplbm.runs.books import Books
from disnplbm.runs.chains import ChainStore
from disnplbm.runs.database import DatabaseAway
from disnplbm.runs.records import Advance
from services.bench import Bench, blocks
from unit.master.serverless import SETTINGS, Bag, Master, Memory

#: Where the process dies: while it reads the data, shards them, samples, and writes the results.
PLACES = [
    "disnplbm_dashboard.embedded.runner.read_once",
    "disnplbm_dashboard.embedded.runner.shard_once",
    "disnplbm_dashboard.embedded.runner.load_run",
    "disnplbm_dashboard.embedded.runner.store_outcome",
]

SHORT = Options(iterations=3)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    found = Bench.of(blocks(tmp_path), tmp_path)
    yield found
    found.database.close()


class Killed(BaseException):
    """As signal 9: nothing is done any more."""


def dies(*_: Any, **__: Any) -> NoReturn:
    raise Killed


@pytest.mark.parametrize("place", PLACES)
def test_a_run_whose_process_died_three_times_fails(bench: Bench, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    run = bench.submit(SHORT)
    with monkeypatch.context() as patch:
        patch.setattr(place, dies)
        for _ in range(3):
            with pytest.raises(Killed):
                bench.runner().poll()
        bench.runner().poll()
    found = bench.service.run(run)
    assert found.state == "FAILED"
    assert "died 3 times" in str(found.error)
    assert "memory" in str(found.error)
    other = bench.submit(SHORT)
    assert bench.runner().poll()
    assert bench.service.run(other).state == "SUCCEEDED"


@pytest.mark.parametrize("orderly", [False, True])
def test_a_process_that_dies_while_a_file_is_read_counts_unless_it_was_told_to_stop(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, orderly: bool
) -> None:
    run = bench.submit(SHORT)
    begun, over = threading.Semaphore(0), threading.Event()

    def endless(*_: Any, **__: Any) -> NoReturn:
        begun.release()
        over.wait()
        raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr(PLACES[0], endless)
        for _ in range(3):
            runner = bench.runner()
            runner.start()
            assert begun.acquire(timeout=60)
            # A process that dies gives nothing back: it is simply not there any more.
            patch.setattr(runner, "poll", lambda: False)
            if orderly:
                over.set()
                runner.stop()
                over.clear()
        if not orderly:
            bench.runner().poll()
            assert bench.service.run(run).state == "FAILED"
            assert "died 3 times" in str(bench.service.run(run).error)
        over.set()
    if orderly:
        assert bench.runner().poll()
        assert bench.service.run(run).state == "SUCCEEDED"


def test_it_can_be_resumed_and_has_all_its_starts_again(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    run = bench.submit(SHORT)
    with monkeypatch.context() as patch:
        patch.setattr(PLACES[-1], dies)
        for times in range(2):
            for _ in range(3):
                with pytest.raises(Killed):
                    bench.runner().poll()
            assert bench.runner().poll()
            assert bench.service.run(run).state == "FAILED", times
            bench.service.resume(run)
    assert bench.runner().poll()
    assert bench.service.run(run).state == "SUCCEEDED"


def test_a_process_that_dies_while_the_run_comes_on_counts_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    run = bench.submit(Options(iterations=8))
    advance, left = ChainStore.advance, 0

    def dying(chains: ChainStore, step: Advance) -> bool:
        nonlocal left
        left -= 1
        if left < 0:
            raise Killed
        return advance(chains, step)

    with monkeypatch.context() as patch:
        patch.setattr(ChainStore, "advance", dying)
        for _ in range(8):
            left = 1
            with pytest.raises(Killed):
                bench.runner().poll()
            assert bench.service.run(run).state == "RUNNING"
    assert bench.runner().poll()
    assert bench.service.run(run).state == "SUCCEEDED"


def test_a_server_that_is_stopped_has_not_died(bench: Bench) -> None:
    before = bench.submit(SHORT)
    assert bench.runner().poll()
    run = bench.submit(SHORT, dataset=bench.service.run(before).dataset_id)
    for _ in range(5):
        runner = bench.runner()
        runner.stop()
        assert runner.poll()
        assert bench.service.run(run).error is None
    assert bench.runner().poll()
    assert bench.service.run(run).state == "SUCCEEDED"


def test_a_database_that_goes_away_is_no_death(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    run, runner = bench.submit(SHORT), bench.runner()

    def away(*_: Any) -> NoReturn:
        raise DatabaseAway("the database is away")

    with monkeypatch.context() as patch:
        patch.setattr(ChainStore, "advance", away)
        for _ in range(5):
            with pytest.raises(DatabaseAway):
                runner.poll()
    assert runner.poll()
    assert bench.service.run(run).state == "SUCCEEDED"


def test_a_master_that_dies_over_the_results_fails_the_run_too(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    run = bench.submit(SHORT)
    # Sampled to its end, with the results still to be written.
    with monkeypatch.context() as patch:
        patch.setattr(PLACES[-1], dies)
        with pytest.raises(Killed):
            bench.runner().poll()
    waiting = Books.of(bench.database).runs.waiting_to_finish()
    assert [found.id for found in waiting] == [run]
    with monkeypatch.context() as patch:
        patch.setattr("disnplbm_master.finishing.store_outcome", dies)
        for _ in range(SETTINGS.attempts + 1):
            finisher = Master(bench.database, bench.store, Bag(), Memory()).finisher
            finisher.begin(waiting[0])
            finisher._pool.shutdown()
    assert bench.service.run(run).state == "FAILED"
    assert "died 3 times" in str(bench.service.run(run).error)
