"""``disnplbm resume``."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--threads", type=click.IntRange(min=1), metavar="N", help="By default one for each processor.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and no progress.")
def command(folder: Path, threads: int | None, as_json: bool) -> None:
    """Go on with the interrupted run in DIR, to the very result it would have had.

    \b
    Example:
      disnplbm fit big.npy --output big-run        interrupted by Ctrl-C
      disnplbm resume big-run
    """
    from disnplbm.cli.execution import default_threads, execute, show
    from disnplbm.cli.progress import Bars
    from disnplbm.engine.folder import RunFolder

    run_folder = RunFolder.find(folder)
    with Bars(quiet=as_json) as bars:
        record = execute(run_folder, threads or default_threads(), bars)
    show(record, run_folder, as_json=as_json)
