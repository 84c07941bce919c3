"""The embedded engine: the bytes of ``fit``, whatever is paused, stopped or lost in between."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import IntegrityError

from disnplbm.engine.options import Options
from disnplbm.runs.chains import ChainStore
from disnplbm.runs.records import Advance
from services.bench import OPTIONS, Bench, blocks
from services.tables import fitted


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return blocks(tmp_path_factory.mktemp("table"))


@pytest.fixture
def bench(table: Path, tmp_path: Path) -> Iterator[Bench]:
    """An empty bench."""
    found = Bench.of(table, tmp_path)
    yield found
    found.database.close()


@pytest.fixture(scope="module")
def expected(table: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What ``fit`` makes of the table."""
    return fitted(table, tmp_path_factory.mktemp("fit") / "run", OPTIONS, n_shards=2)


def test_a_run_is_that_of_fit(bench: Bench, expected: dict[str, Any]) -> None:
    run = bench.submit()
    assert bench.runner().poll()
    assert bench.service.run(run).state == "SUCCEEDED"
    record = bench.record(run)
    assert [record[name] for name in ("digest", "posterior", "restarts")] == [
        expected[name] for name in ("digest", "posterior", "restarts")
    ]
    assert bench.store.list(f"runs/{run}/labels") == []
    trace = bench.service.trace(run, 0)
    assert [row.iteration for row in trace] == list(range(1, 13))
    assert {shard["shard"] for row in trace for shard in row.shards} == {0, 1}


@pytest.mark.parametrize("iterations", [0, 1, 3, 10])
def test_a_process_that_dies_anywhere_is_made_up_for(
    bench: Bench, expected: dict[str, Any], monkeypatch: pytest.MonkeyPatch, iterations: int
) -> None:
    run = bench.submit()
    left = iterations
    advance = ChainStore.advance

    def dying(self: ChainStore, step: Advance) -> bool:
        nonlocal left
        if left == 0:
            raise KeyboardInterrupt
        left -= 1
        return advance(self, step)

    with monkeypatch.context() as patch:
        patch.setattr(ChainStore, "advance", dying)
        with pytest.raises(KeyboardInterrupt):
            bench.runner().poll()
    assert bench.runner().poll()
    assert bench.record(run)["digest"] == expected["digest"]


def test_labels_that_are_lost_are_sampled_again(
    bench: Bench, expected: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = bench.submit()
    bench.after(monkeypatch, 5, lambda: bench.service.pause(run))
    assert bench.service.run(run).state == "PAUSED"
    bench.store.delete(bench.store.list(f"runs/{run}/labels"))
    bench.service.resume(run)
    assert bench.runner().poll()
    assert bench.record(run)["digest"] == expected["digest"]
    assert "rewound" in [event.kind for event in bench.service.events(run)]


def test_a_paused_run_makes_room_for_another_and_goes_on_where_it_was(
    bench: Bench, expected: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, other = bench.submit(), bench.submit(Options(iterations=2))
    bench.after(monkeypatch, 7, lambda: bench.service.pause(run))
    done = bench.service.progress(run).done
    assert done > 0
    runner = bench.runner()
    assert runner.poll()
    assert bench.service.run(other).state == "SUCCEEDED"
    assert not runner.poll()
    assert bench.service.progress(run).done == done
    bench.service.resume(run)
    assert runner.poll()
    assert bench.record(run)["digest"] == expected["digest"]


def test_a_cancelled_run_leaves_nothing_to_go_on_from(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    run = bench.submit()
    bench.after(monkeypatch, 3, lambda: bench.service.cancel(run))
    assert bench.service.run(run).state == "CANCELLED"
    assert bench.store.list(f"runs/{run}/labels") == []
    assert not bench.runner().poll()


@pytest.mark.parametrize(
    ("content", "said"), [("a,b\n1,2\n3,zebra\n", "zebra"), ("a,b\n", "no rows"), ("a,b\n1,2\n3\n", "3")]
)
def test_data_that_cannot_be_read_fail_with_their_reason(bench: Bench, tmp_path: Path, content: str, said: str) -> None:
    bench.table = tmp_path / "bad.csv"
    bench.table.write_text(content)
    run = bench.submit()
    assert bench.runner().poll()
    record = bench.service.run(run)
    assert record.state == "FAILED"
    assert said in str(record.error)
    assert str(tmp_path) not in str(record.error)
    assert bench.service.dataset(record.dataset_id).state == "FAILED"


def test_classes_that_do_not_fit_fail_the_run_and_no_other(bench: Bench) -> None:
    run, other = bench.submit(row_classes=["a", "b"]), bench.submit(Options(iterations=2))
    runner = bench.runner()
    assert runner.poll()
    assert runner.poll()
    assert "2 row classes for 40 rows" in str(bench.service.run(run).error)
    assert bench.service.run(other).state == "SUCCEEDED"


def test_a_fault_of_ours_fails_the_run_with_a_sentence_and_no_statement(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: ChainStore, step: Advance) -> bool:
        raise IntegrityError("INSERT INTO iterations VALUES (?)", {}, ValueError("log_joint is null"))

    run = bench.submit()
    with monkeypatch.context() as patch:
        patch.setattr(ChainStore, "advance", broken)
        assert bench.runner().poll()
    assert bench.service.run(run).error == (
        "internal error (IntegrityError): the log has the details; please report it"
    )
    assert bench.service.events(run)[-1].reason == bench.service.run(run).error


def test_a_runner_that_is_stopped_leaves_its_run_to_the_next(bench: Bench, expected: dict[str, Any]) -> None:
    run = bench.submit()
    runner = bench.runner()
    runner.start()
    tick = threading.Event()
    while bench.service.progress(run).done == 0:
        assert not tick.wait(0.01)
    runner.stop()
    assert bench.service.run(run).state in ("RUNNING", "SUCCEEDED")
    bench.runner().poll()
    assert bench.record(run)["digest"] == expected["digest"]
