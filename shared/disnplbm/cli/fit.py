"""``disnplbm fit``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from disnplbm.cli import common
from disnplbm.cli.interruption import UNFINISHED
from disnplbm.cli.run_options import run_options
from disnplbm.data.formats import all_endings
from disnplbm.errors import InputError, OptionsNeeded
from disnplbm.leaving import when_interrupted

if TYPE_CHECKING:
    from disnplbm.engine.folder import RunFolder


def _refuse_resume(_: click.Context, __: click.Parameter, folder: Path | None) -> None:
    if folder is not None:
        raise InputError(f"`fit` starts a new run; continue this one with: disnplbm resume {quote(str(folder))}")


@click.command(epilog="Exit codes: 0 done, 1 failed while running, 2 wrong usage or input, 130 interrupted.")
@click.argument("input_paths", metavar="INPUT...", nargs=-1, required=True, type=click.Path(path_type=Path))
@common.output_option("DIR", "Run folder; by default named after the first INPUT.")
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    hidden=True,
    is_eager=True,
    expose_value=False,
    callback=_refuse_resume,
)
@run_options
@common.bounded_option(
    "--threads", type=int, metavar="N", help="By default one for each processor; the result does not depend on it."
)
@common.memory_option
@click.option("--force", is_flag=True, help="Overwrite an earlier run in the output folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and no progress.")
def command(input_paths: tuple[Path, ...], output: Path | None, as_json: bool, **given: Any) -> None:
    """Co-cluster the matrix in INPUT: its rows and its columns at once, finding both numbers of clusters.

    INPUT is a file that ends in ENDINGS, or a 10x folder (matrix.mtx, features.tsv, barcodes.tsv). A .npz file may hold
    one of SciPy's sparse matrices. Blank, NA and NaN cells are missing.

    Several files are tables over the same rows, which are matched by their names. With --cells mixed the columns of a
    file may be numbers, counts, yes and no, or categories, each kind with column clusters of its own.

    \b
    Examples:
      disnplbm fit matrix.csv
      disnplbm fit genes.csv.gz --id-column sample --row-classes class --transform log
      disnplbm fit big.npy --shards 64 --threads 8 --alpha 5 --beta 2 --output big-run
      disnplbm fit patients.csv --cells mixed --columns-as ward=categorical
      disnplbm fit answers.csv counts.h5ad --id-column id
      disnplbm fit wine.csv --sampler split-merge --iterations 1000 --burn-in 500 --alpha learn

    The run folder holds rows.csv, columns.csv, blocks.csv, trace.csv, run.json and report.html; with draws also
    draws.npz and similarity.npz.
    """
    from disnplbm.bars import Bars
    from disnplbm.cli.advice import fit_again
    from disnplbm.cli.execution import execute, notes_of, report_of, show, thread_count
    from disnplbm.cli.inputs import named_after
    from disnplbm.engine.folder import RunFolder

    threads = thread_count(given["threads"])
    folder = RunFolder(output or named_after(input_paths[0].name, "run"))
    with Bars(quiet=as_json) as bars, when_interrupted(_standing(folder)):
        _prepare(folder, input_paths, given, bars)
        record = execute(folder, threads, bars, given["memory"])
    show(record, report_of(folder.path), as_json=as_json)
    if not as_json and (again := fit_again(notes_of(record), sys.argv[1:])):
        click.echo(f"to fit it so: {again}", err=True)


command.help = str(command.help).replace("ENDINGS", all_endings())


def _standing(folder: RunFolder) -> Callable[[], str]:
    """How things stand when a run of this call is interrupted: an earlier one in the folder is another matter."""
    before = folder.identity

    def standing() -> str:
        if folder.identity in (None, before):
            return UNFINISHED
        return f"stopped before the first iteration; continue with: {folder.resume_command}"

    return standing


def _prepare(folder: RunFolder, input_paths: tuple[Path, ...], given: dict[str, Any], bars: Any) -> None:
    from disnplbm.cli.asked import Asked, parse_request
    from disnplbm.cli.kinds import as_several_kinds
    from disnplbm.engine.fit import prepare_run

    def begin(asked: Asked) -> None:
        with folder.stage(folder.path, force=given["force"], reads=input_paths):
            reading, memory = asked.reading.to_dict(), given["memory"]
            prepare_run(folder, asked.source, asked.request, asked.options, bars, reading=reading, memory=memory)

    try:
        begin(parse_request(input_paths, given))
    except OptionsNeeded as refused:
        begin(as_several_kinds(refused, input_paths, given))
