"""``disnplbm submit``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from disnplbm.cli.cluster import server_option
from disnplbm.cli.run_options import run_options


@click.command()
@click.argument("input_path", metavar="INPUT", type=click.Path(path_type=Path))
@run_options
@server_option
@click.option("--watch", "watching", is_flag=True, help="Stay and follow the run.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and no progress.")
def command(input_path: Path, server: str | None, watching: bool, as_json: bool, **given: Any) -> None:
    """Submit the matrix in INPUT to the cluster: upload it and start a run.

    It takes the options of `disnplbm fit` and gives the same result: the same bits for the same data, seed and shards.
    A cluster takes fewer shards than `fit` unless --shards says how many, since each of them is a message.
    With --server it goes over the API of a `disnplbm serve`; parts of the file that the server holds already are not
    sent again. Without it DISNPLBM_DATABASE_URL and DISNPLBM_STORE_URL say where the cluster is.

    \b
    Examples:
      disnplbm submit genes.csv.gz --id-column sample --transform log --shards 16
      disnplbm submit wine.csv --row-classes class --sampler split-merge --burn-in 500 --iterations 1000 --watch
      disnplbm submit wine.csv --server https://blocks.example          with the token in DISNPLBM_TOKEN
    """
    from disnplbm.bars import Bars
    from disnplbm.cli.asked import is_of_parts, parse_request
    from disnplbm.cli.cluster import described, open_runs
    from disnplbm.cli.watch import watch
    from disnplbm.errors import InputError

    if is_of_parts([input_path], given):
        raise InputError("`submit` does not take tables of several kinds of columns yet: `disnplbm fit` does")
    asked = parse_request([input_path], given)
    if input_path.is_dir():
        raise InputError(
            f"{input_path} is a folder, and a file is sent: fit it here (`disnplbm fit`), or save it as one .h5ad file"
        )
    with open_runs(server) as runs:
        with Bars(quiet=as_json) as bars:
            dataset = runs.upload(input_path, asked.reading.to_dict(), bars)
        run = runs.submit(dataset, asked.request, asked.options.to_dict())
        if watching:
            watch(runs, run.id, as_json=as_json)
        elif as_json:
            click.echo(json.dumps(described(run)))
        else:
            click.echo(f"run        {run.id}")
            click.echo(f"to follow it: disnplbm watch {run.id}")
