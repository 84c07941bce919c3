"""``disnplbm resume``."""

from __future__ import annotations

from pathlib import Path

import click

from disnplbm.cli.cluster import server_option
from disnplbm.cli.common import bounded_option, memory_option


@click.command()
@click.argument("target", metavar="TARGET", type=click.Path(path_type=Path))
@bounded_option("--threads", type=int, metavar="N", help="For a folder; by default one for each processor.")
@memory_option
@server_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and no progress.")
def command(target: Path, threads: int | None, memory: int | None, server: str | None, as_json: bool) -> None:
    """Continue the interrupted run TARGET to exactly the result that it would have had.

    TARGET is the folder of a run, or else a run on the cluster, paused or failed: what `disnplbm submit` printed, or
    its first four characters or more. A folder of that name wins.

    \b
    Examples:
      disnplbm fit big.npy --output big-run        interrupted by Ctrl-C
      disnplbm resume big-run
      disnplbm resume 3f2a                         a run on the cluster
    """
    from disnplbm.runs.ids import is_beginning

    if not target.exists() and is_beginning(str(target)):
        _on_cluster(str(target), server, as_json=as_json)
        return
    from disnplbm.bars import Bars
    from disnplbm.cli.execution import execute, report_of, show, thread_count
    from disnplbm.engine.folder import RunFolder

    folder = RunFolder.find(target)
    with Bars(quiet=as_json) as bars:
        record = execute(folder, thread_count(threads), bars, memory)
    show(record, report_of(folder.path), as_json=as_json)


def _on_cluster(run: str, server: str | None, *, as_json: bool) -> None:
    import json

    from disnplbm.cli.cluster import described, open_runs, say_state
    from disnplbm.errors import InputError, RunError

    try:
        with open_runs(server) as runs:
            resumed = runs.resume(run)
    except (InputError, RunError) as error:
        kind = InputError if isinstance(error, InputError) else RunError
        raise kind(f"there is no folder {run} here, and as a run it does not resume: ", error.note) from error
    if as_json:
        click.echo(json.dumps(described(resumed)))
    else:
        say_state(resumed, f"; follow it with: disnplbm watch {resumed.id}")
