"""What the commands of the cluster share: where the runs are, and what is said of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from disnplbm.variables import refuse_misspelt

if TYPE_CHECKING:
    from disnplbm.client.runs import Runs, RunStatus

#: The token is taken from here, and from nowhere that others could read it.
_TOKEN = "DISNPLBM_TOKEN"  # noqa: S105 - its name

server_option = click.option(
    "--server",
    envvar="DISNPLBM_SERVER",
    show_envvar=True,
    metavar="URL",
    help="The server to ask, of `disnplbm serve`; its token is in DISNPLBM_TOKEN. By default the cluster's database.",
)


@contextmanager
def open_runs(server: str | None) -> Iterator[Runs]:
    """Open the runs of a server, or of the database and the object store that the settings name.

    Parameters
    ----------
    server : str, optional
        The address of its API.

    Raises
    ------
    InputError
        The address or a setting is wrong.
    RunError
        The database or the object store cannot be reached, or the tables are of another version.
    """
    if server:
        yield _of_server(server)
        return
    from disnplbm.client.cluster import ClusterRuns
    from disnplbm.objects import open_store
    from disnplbm.runs.database import Database
    from disnplbm.runs.service import RunService
    from disnplbm.settings import settings

    database = Database(settings().database_url)
    try:
        database.check_version()
        yield ClusterRuns(RunService(database, open_store(settings().store_url)))
    finally:
        database.close()


def described(run: RunStatus) -> dict[str, Any]:
    """A run as ``--json`` prints it."""
    return {
        "run": run.id,
        "name": run.name,
        "state": run.state,
        "stage": run.stage,
        "iterations_done": run.done,
        "iterations_total": run.total,
        "row_clusters": run.row_clusters,
        "column_clusters": run.column_clusters,
        "log_joint": run.log_joint,
        "verdict": run.verdict,
        "dataset": run.dataset,
        "shards": run.shards,
        "created": run.created_at.isoformat(timespec="seconds"),
        "started": None if run.started_at is None else run.started_at.isoformat(timespec="seconds"),
        "finished": None if run.finished_at is None else run.finished_at.isoformat(timespec="seconds"),
        "error": run.error,
    }


def note(run: RunStatus) -> str:
    """What a run reports, or how its first chain looks, in a few words."""
    if run.log_joint is None:
        return ""
    return f"K {run.row_clusters}  L {run.column_clusters}  log joint {run.log_joint:,.1f}{doubt(run, before='  ')}"


def doubt(run: RunStatus, before: str = "") -> str:
    """ "not settled" and why, after other words; "" where there is no doubt."""
    from disnplbm.report.wording import badge

    found = None if run.verdict is None else badge(run.verdict)
    return f"{before}{found}" if found else ""


def say_state(run: RunStatus, hint: str = "") -> None:
    """One line: what became of a run."""
    click.echo(f"run {run.id} ({run.name}) is {run.state}{hint}")


def _of_server(url: str) -> Runs:
    from disnplbm.client.address import Address
    from disnplbm.client.connection import Connection
    from disnplbm.client.server import ServerRuns

    refuse_misspelt()
    address = Address.of(url, os.environ.get(_TOKEN))
    if address.in_the_open:
        _say(f"the token travels unencrypted to {address.url}, where others can read it: use https")
    return ServerRuns(Connection(address, _say))


def _say(message: str) -> None:
    click.echo(f"disnplbm: {message}", err=True)
