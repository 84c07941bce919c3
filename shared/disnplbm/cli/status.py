"""``disnplbm status``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from disnplbm.cli.cluster import server_option

if TYPE_CHECKING:
    from disnplbm.client.runs import Runs, RunStatus


@click.command()
@click.argument("run", metavar="[RUN]", required=False)
@click.option(
    "--state",
    type=click.Choice(["PENDING", "RUNNING", "PAUSED", "FAILED", "CANCELLED", "SUCCEEDED"], case_sensitive=False),
    help="List only runs in this state.",
)
@click.option(
    "--limit", type=click.IntRange(1, 100_000), default=20, show_default=True, metavar="N", help="Runs to list."
)
@server_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(run: str | None, state: str | None, limit: int, server: str | None, as_json: bool) -> None:
    """List the cluster's runs, newest first; or show the state of RUN and what happened to it.

    \b
    Examples:
      disnplbm status
      disnplbm status --state FAILED
      disnplbm status 3f2a
    """
    from disnplbm.cli.cluster import described, open_runs

    if run is not None and state is not None:
        raise click.UsageError("give either RUN or --state")
    with open_runs(server) as runs:
        if run is not None:
            one = runs.run(run)
            click.echo(json.dumps(described(one)) if as_json else "\n".join(_lines(runs, one)))
            return
        found = runs.runs(state, limit)
    if as_json:
        click.echo(json.dumps({"runs": [described(one) for one in found]}))
    elif found:
        click.echo("\n".join(_table(found)))
    else:
        click.echo(
            "there are no runs" + (f" that are {state}" if state else "; hand one in with: disnplbm submit FILE")
        )


def _table(runs: list[RunStatus]) -> list[str]:
    head = ("RUN", "STATE", "DONE", "K", "L", "LOG JOINT", "SETTLED", "SUBMITTED", "NAME")
    records = [head, *map(_cells, runs)]
    widths = [max(map(len, column)) for column in zip(*records, strict=True)]
    numbers = {2, 3, 4, 5}
    return [
        "  ".join(
            cell.rjust(width) if i in numbers else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(record, widths, strict=True))
        ).rstrip()
        for record in records
    ]


def _cells(run: RunStatus) -> tuple[str, ...]:
    return (
        run.id,
        run.state,
        f"{run.done}/{run.total}",
        "" if run.row_clusters is None else str(run.row_clusters),
        "" if run.column_clusters is None else str(run.column_clusters),
        "" if run.log_joint is None else f"{run.log_joint:,.1f}",
        _settled(run),
        f"{run.created_at:%Y-%m-%d %H:%M}",
        run.name,
    )


def _settled(run: RunStatus) -> str:
    """ "yes"; or "no" with the axes and R-hat; or "" where it is not known."""
    from disnplbm.report.wording import doubt

    if run.verdict is None:
        return ""
    found = doubt(run.verdict)
    if found is not None:
        return f"no: {found}"
    return "yes" if run.verdict["kind"] == "settled" else ""


def _lines(runs: Runs, run: RunStatus) -> list[str]:
    from disnplbm.cli.cluster import note
    from disnplbm.cli.flags import flag
    from disnplbm.notes import say

    lines = [
        ("run", f"{run.id}  {run.name}"),
        ("state", f"{run.state}, {run.stage}"),
        ("done", f"{run.done} of {run.total} iterations"),
    ]
    if run.log_joint is not None:
        lines.append(("reported" if run.state == "SUCCEEDED" else "chain 0", note(run)))
    if run.shards is not None:
        lines.append(("shards", str(run.shards)))
    if run.error is not None:
        lines.append(("error", say(run.error, flag)))
    for event in runs.happenings(run.id):
        change = event.to_state or event.kind
        reason = f": {say(event.reason, flag)}" if event.reason else ""
        lines.append(("", f"{event.at:%Y-%m-%d %H:%M:%S}  {change} by {event.actor}{reason}"))
    return [f"{name:<10} {text}".rstrip() for name, text in lines]
