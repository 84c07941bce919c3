"""``disnplbm watch``."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from disnplbm.cli.cluster import server_option
from disnplbm.errors import Away, RunError
from disnplbm.leaving import when_interrupted

if TYPE_CHECKING:
    from disnplbm.client.runs import Runs, RunStatus

#: How often it is asked, in seconds.
INTERVAL = 0.5

#: How long who is asked may be away before watching ends, in seconds.
AWAY_SECONDS = 120.0


@click.command(
    epilog="Exit codes: 0 the run succeeded, 1 it failed or was cancelled, 130 interrupted; the run goes on."
)
@click.argument("run", metavar="RUN")
@server_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object at the end and no progress.")
def command(run: str, server: str | None, as_json: bool) -> None:
    """Follow RUN until it ends, and show what it found. Ctrl-C leaves the run alone.

    RUN is what `disnplbm submit` printed, or its first four characters or more.

    \b
    Example:
      disnplbm watch 3f2a
    """
    from disnplbm.cli.cluster import open_runs

    with open_runs(server) as runs:
        watch(runs, run, as_json=as_json)


def watch(runs: Runs, run_id: str, *, as_json: bool) -> None:
    """Stay until a run ended, and say what came out.

    Raises
    ------
    RunError
        It failed or was cancelled.
    Interrupted
        By Ctrl-C; the run goes on.
    """
    from disnplbm.cli.execution import show

    run_id = runs.run(run_id).id
    stopped = f"stopped watching; run {run_id} continues: disnplbm watch {run_id}, or disnplbm cancel {run_id}"
    with when_interrupted(lambda: stopped):
        run = _until_ended(runs, run_id, quiet=as_json)
    if run.state == "FAILED":
        why = run.error or "no reason was recorded"
        raise RunError(f"run {run.id} ({run.name}) failed: ", why, f"; then continue it: disnplbm resume {run.id}")
    if run.state == "CANCELLED":
        raise RunError(f"run {run.id} ({run.name}) was cancelled; hand it in again with: disnplbm submit")
    record = {"run": run.id, **runs.record(run.id)}
    show(record, f"disnplbm download {run.id}", as_json=as_json)


def _until_ended(runs: Runs, run_id: str, *, quiet: bool) -> RunStatus:
    from disnplbm.bars import Bars
    from disnplbm.cli.cluster import note

    seen = time.monotonic()
    with Bars(quiet=quiet) as bars:
        while True:
            try:
                run = runs.run(run_id)
            except Away:
                if time.monotonic() - seen > AWAY_SECONDS:
                    raise
            else:
                seen = time.monotonic()
                bars("run", run.done, run.total, f"{run.stage}  {note(run)}".rstrip())
                if run.state in ("FAILED", "CANCELLED", "SUCCEEDED"):
                    return run
            time.sleep(INTERVAL)
