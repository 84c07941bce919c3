"""``disnplbm download``."""

from __future__ import annotations

import json
from pathlib import Path

import click

from disnplbm.cli import common
from disnplbm.cli.cluster import server_option


@click.command()
@click.argument("run", metavar="RUN")
@common.output_option("DIR", "By default named after data and run.")
@click.option("--force", is_flag=True, help="Overwrite an earlier run in the output folder.")
@server_option
@click.option("--json", "as_json", is_flag=True, help="Print what run.json holds, and no progress.")
def command(run: str, output: Path | None, force: bool, server: str | None, as_json: bool) -> None:
    """Fetch the results of RUN, which succeeded: the folder that `disnplbm fit` would have written.

    \b
    Example:
      disnplbm download 3f2a --output wine-run
    """
    from disnplbm.bars import Bars
    from disnplbm.cli.cluster import open_runs
    from disnplbm.cli.execution import report_of, show
    from disnplbm.cli.inputs import named_after
    from disnplbm.engine.folder import RunFolder
    from disnplbm.errors import RunError

    with open_runs(server) as runs:
        found = runs.run(run)
        path = output or named_after(found.name, found.id)
        with RunFolder.stage(path, force=force) as folder:
            with Bars(quiet=as_json) as bars:
                runs.fetch(found.id, folder.staging, bars)
            folder.adopt()
    try:
        record = json.loads((folder.path / "run.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RunError(f"the results of run {found.id} lack their run.json; resume or submit it again") from error
    show(record, report_of(folder.path), as_json=as_json)
