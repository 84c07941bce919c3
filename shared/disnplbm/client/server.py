"""Runs of a server, over its HTTP API."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

from disnplbm.client.connection import Connection, Dropped
from disnplbm.client.downloading import receive
from disnplbm.client.runs import Happening, RunStatus, Stages
from disnplbm.client.uploading import create, send
from disnplbm.errors import Away, InputError, RunError
from disnplbm.leaving import when_interrupted
from disnplbm.notes import from_plain
from disnplbm.runs.ids import check_beginning
from disnplbm.runs.request import COVARIATE_FIELDS, FACTOR_FIELDS, Request
from disnplbm.runs.results import RESULT_FILES

_T = TypeVar("_T")

#: Most items of a page of runs, and of events.
_RUNS, _EVENTS = 200, 1000

#: A change that is never answered is asked for so often.
_TRIES = 5

_ASKED = ("name", "axis", "transform", "row_classes", "column_classes", "start_rows", "start_columns")


class ServerRuns:
    """The runs of a server; see :class:`disnplbm.client.runs.Runs`."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def upload(self, path: Path, reading: Mapping[str, Any], stages: Stages) -> str:
        """Upload a file, or what the server lacks of it; the id of its dataset."""
        with when_interrupted(lambda: "stopped; what was sent is kept for two days; the same command continues"):
            return self._parse(lambda: send(self._connection, path, reading, stages))

    def submit(self, dataset: str, asked: Request, options: Mapping[str, Any]) -> RunStatus:
        """Ask for a run."""
        body = {"dataset": dataset, "shards": asked.n_shards, "options": dict(options)}
        body |= {name: getattr(asked, name) for name in _ASKED}
        body |= {
            name: getattr(asked, name)
            for name in (*FACTOR_FIELDS, *COVARIATE_FIELDS)
            if getattr(asked, name) is not None
        }
        return self._parse(lambda: _status(create(self._connection, "/runs", body, secrets.token_hex())))

    def run(self, run: str) -> RunStatus:
        """One run; Away if the server is, for long."""
        return self._parse(lambda: _status(self._connection.ask("GET", _path(run))))

    def runs(self, state: str | None, limit: int) -> list[RunStatus]:
        """Runs, the newest first; of one state if it is given."""
        return self._parse(lambda: self._pages(state, limit))

    def happenings(self, run: str) -> list[Happening]:
        """What happened to a run, in order."""
        return self._parse(lambda: self._events(run))

    def pause(self, run: str, reason: str) -> RunStatus:
        """Stop a run before its next iteration, until it is resumed."""
        return self._change(run, "pause", reason, ("PAUSED",))

    def resume(self, run: str) -> RunStatus:
        """Go on with a run that was paused, or that failed."""
        return self._change(run, "resume", "", ("PENDING", "RUNNING", "SUCCEEDED"))

    def cancel(self, run: str, reason: str) -> RunStatus:
        """End a run for good."""
        return self._change(run, "cancel", reason, ("CANCELLED",))

    def record(self, run: str) -> dict[str, Any]:
        """The run.json of a run that succeeded."""
        return self._parse(lambda: dict(self._connection.ask("GET", f"{_path(run)}/artifacts/run.json")))

    def fetch(self, run: str, folder: Path, stages: Stages) -> None:
        """Download the files of a run that succeeded into a folder; each appears whole or not at all."""
        where = f"{_path(run)}/artifacts"
        # The names are the server's, and files of other names have no place in a run's folder.
        sizes: dict[str, int] = self._parse(
            lambda: {
                str(item["name"]): int(item["bytes"])
                for item in self._connection.ask("GET", where)["items"]
                if item["name"] in RESULT_FILES
            }
        )
        total, before = sum(sizes.values()), 0
        for name, size in sizes.items():

            def told(done: int, before: int = before) -> None:
                stages("fetching", before + done, total)

            receive(self._connection, f"{where}/{name}", size, folder / name, told)
            before += size

    def _change(self, run: str, action: str, reason: str, reached: tuple[str, ...]) -> RunStatus:
        """Change the state of a run; one change, even if the connection breaks off before the answer."""
        for _ in range(_TRIES):
            try:
                answer = self._connection.ask_once("POST", f"{_path(run)}/{action}", {"reason": reason})
            except Dropped:
                # It may have been heard. This waits for the server, and says so.
                found = self.run(run)
                if found.state in reached:
                    return found
            else:
                return self._parse(partial(_status, answer))
        raise Away(f"{self._connection.url} does not answer when asked to {action} run {run}: try again")

    def _pages(self, state: str | None, limit: int) -> list[RunStatus]:
        found: list[RunStatus] = []
        cursor = None
        while len(found) < limit:
            query: dict[str, Any] = {"limit": min(_RUNS, limit - len(found))}
            query |= {name: value for name, value in (("state", state), ("cursor", cursor)) if value is not None}
            page = self._connection.ask("GET", f"/runs?{urlencode(query)}")
            found += [_status(item) for item in page["items"]]
            cursor = page["next"]
            if cursor is None:
                break
        return found

    def _events(self, run: str) -> list[Happening]:
        found: list[Happening] = []
        after = 0
        while True:
            page = self._connection.ask("GET", f"{_path(run)}/events?{urlencode({'after': after, 'limit': _EVENTS})}")
            found += [
                Happening(
                    _moment(item["at"]), str(item["kind"]), item["to_state"], str(item["actor"]), str(item["reason"])
                )
                for item in page["items"]
            ]
            if len(page["items"]) < _EVENTS:
                return found
            after = int(page["last"])

    def _parse(self, make: Callable[[], _T]) -> _T:
        """What is made of an answer; one line where it is none that this version knows."""
        try:
            return make()
        except (InputError, RunError):
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise RunError(
                f"{self._connection.url} answers in a way that is not known here: see that it is a server of disnplbm,"
                " of this version"
            ) from error


def _path(run: str) -> str:
    """The path of a run below the API; InputError if it is no id."""
    return f"/runs/{check_beginning('run', run)}"


def _status(answer: Any) -> RunStatus:
    return RunStatus(
        id=str(answer["id"]),
        name=str(answer["name"]),
        dataset=str(answer["dataset"]["id"]),
        state=str(answer["state"]),
        stage=str(answer["stage"]),
        done=int(answer["progress"]["done"]),
        total=int(answer["progress"]["total"]),
        row_clusters=answer["row_clusters"],
        column_clusters=answer["column_clusters"],
        log_joint=answer["log_joint"],
        verdict=answer["verdict"],
        shards=answer["shards"],
        error=None if answer["error"] is None else from_plain(answer.get("fault") or answer["error"]),
        created_at=_moment(answer["created_at"]),
        started_at=None if answer["started_at"] is None else _moment(answer["started_at"]),
        finished_at=None if answer["finished_at"] is None else _moment(answer["finished_at"]),
    )


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
