"""The state machine of runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disnplbm.errors import InputError
from disnplbm.objects import open_store
from disnplbm.runs.books import Books
from disnplbm.runs.database import Database
from disnplbm.runs.service import RunService
from disnplbm.runs.states import TERMINAL, TRANSITIONS, State
from disnplbm.runs.transitions import TransitionRefused, transition
from recorded_runs import REPORTED, SHARDS, submitted

#: What each operation makes of a run in each state; what is not here it refuses.
EXPECTED = {
    "start": {"PENDING": "RUNNING"},
    "pause": {"RUNNING": "PAUSED"},
    "resume": {"PAUSED": "RUNNING", "FAILED": "RUNNING"},
    "cancel": {"PENDING": "CANCELLED", "RUNNING": "CANCELLED", "PAUSED": "CANCELLED", "FAILED": "CANCELLED"},
    "fail": {"PENDING": "FAILED", "RUNNING": "FAILED"},
    "succeed": {"RUNNING": "SUCCEEDED"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("states")


@pytest.fixture(scope="module")
def database(folder: Path) -> Iterator[Database]:
    database = Database(f"sqlite:///{folder}/runs.sqlite3")
    database.migrate()
    yield database
    database.close()


@pytest.fixture(scope="module")
def service(database: Database, folder: Path) -> RunService:
    return RunService(database, open_store(folder / "store"))


@pytest.fixture(scope="module")
def books(database: Database) -> Books:
    return Books.of(database)


@given(operations=st.lists(st.sampled_from(sorted(EXPECTED)), max_size=12))
@settings(max_examples=60, deadline=None)
def test_any_sequence_of_operations_goes_as_the_table_says(
    operations: list[str], service: RunService, books: Books, folder: Path
) -> None:
    run = submitted(service, folder).id
    state, epoch, has_started, changes = "PENDING", 0, False, []
    for operation in operations:
        expected = EXPECTED[operation].get(state)
        if operation == "resume" and state == "FAILED" and not has_started:
            expected = "PENDING"
        assert _succeeds(_calls(service, books, run)[operation]) == (expected is not None)
        if expected is not None:
            changes.append((state, expected))
            state = expected
            epoch += operation == "resume"
            has_started |= state == "RUNNING"
        found = service.run(run)
        assert (found.state, found.epoch) == (state, epoch)
        assert (found.started_at is not None) == has_started
        assert (found.finished_at is not None) == (state in ("FAILED", "CANCELLED", "SUCCEEDED"))
        assert (found.error is not None) == (changes[-1:] != [] and _still_failed(changes))
    events = service.events(run)
    assert [(event.from_state, event.to_state) for event in events] == [(None, "PENDING"), *changes]
    assert all(event.actor in ("cli", "ada", "master") for event in events)


def _calls(service: RunService, books: Books, run: str) -> dict[str, Callable[[], object]]:
    return {
        "start": lambda: books.runs.start(run, "shards/x", SHARDS),
        "pause": lambda: service.pause(run, "ada", "room"),
        "resume": lambda: service.resume(run, "ada"),
        "cancel": lambda: service.cancel(run, "ada"),
        "fail": lambda: books.runs.fail(run, "lost"),
        "succeed": lambda: books.runs.succeed(run, REPORTED),
    }


def _succeeds(call: Callable[[], object]) -> bool:
    """The service refuses with a line, the master's side with False."""
    try:
        return call() is not False
    except TransitionRefused:
        return False


def _still_failed(changes: list[tuple[str, str]]) -> bool:
    """Whether a run failed last, or was cancelled when it had."""
    return changes[-1][1] == "FAILED" or changes[-1] == ("FAILED", "CANCELLED")


def test_the_table_lists_every_state_and_ends_in_two() -> None:
    assert set(TRANSITIONS) == set(State)
    assert {State.CANCELLED, State.SUCCEEDED} == TERMINAL


@pytest.mark.parametrize("frm", list(State))
@pytest.mark.parametrize("to", list(State))
def test_a_transition_is_made_if_the_table_has_it_and_else_changes_nothing(
    frm: State, to: State, database: Database, service: RunService, folder: Path
) -> None:
    run = submitted(service, folder).id
    with database.session() as session:
        for state in _way(frm):
            transition(session, run, state, actor="ada")
    before = service.events(run)

    def move() -> None:
        with database.session() as session:
            transition(session, run, to, actor="ada", reason="why")

    if to in TRANSITIONS[frm]:
        move()
        assert service.run(run).state is to
        last = service.events(run)[-1]
        assert (last.kind, last.from_state, last.to_state, last.reason) == ("state", frm, to, "why")
    else:
        with pytest.raises(TransitionRefused, match=f"is {frm} and cannot become {to}"):
            move()
        assert service.run(run).state is frm
        assert service.events(run) == before


def _way(to: State) -> list[State]:
    """From PENDING to a state."""
    return {
        State.PENDING: [],
        State.RUNNING: [State.RUNNING],
        State.PAUSED: [State.RUNNING, State.PAUSED],
        State.FAILED: [State.FAILED],
        State.CANCELLED: [State.CANCELLED],
        State.SUCCEEDED: [State.RUNNING, State.SUCCEEDED],
    }[to]


def test_a_run_that_is_not_there_makes_no_transition(database: Database) -> None:
    def move() -> None:
        with database.session() as session:
            transition(session, "0" * 12, State.RUNNING, actor="ada")

    with pytest.raises(InputError, match="no run 000000000000"):
        move()
