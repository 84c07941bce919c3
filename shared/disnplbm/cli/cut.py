"""``disnplbm cut``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from disnplbm.cli import common
from disnplbm.cli.common import Number
from disnplbm.errors import InputError
from disnplbm.runs.results import DERIVED_FILES

if TYPE_CHECKING:
    from disnplbm.engine.levels import CutRun
    from disnplbm.model.statistics import Labels
    from disnplbm.posterior.trees.certainty import Certainty

#: Sizes of clusters that are printed.
SHOWN = 12

#: Files that are written, in this order, and what the first one begins with.
WRITTEN, HEADER = DERIVED_FILES["cut-"], "id,label,fine"


NUMBER = Number("auto")


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--rows", type=NUMBER, metavar="K|auto", help="Row clusters; by default all of the run.")
@click.option("--columns", type=NUMBER, metavar="L|auto", help="Column clusters; by default all of the run.")
@click.option("--refine", is_flag=True, help="Let rows and columns move to the clusters that fit them best.")
@common.table_option("With --refine or --write-h5ad")
@click.option(
    "--write-h5ad",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A new .h5ad file: the table that was fitted, with the clusters in obs and var. Needs the extra bio.",
)
@common.output_option("DIR", "By default a folder in DIR named after the level.")
def command(
    folder: Path,
    rows: int | str | None,
    columns: int | str | None,
    refine: bool,
    table: Path | None,
    write_h5ad: Path | None,
    output: Path | None,
) -> None:
    """Merge the clusters of the run in DIR down to K x L, as many as you want to look at.

    A fit has as many clusters as the data tell apart, often more than people can look at. Clusters that are nearly
    alike merge first; where the run kept draws, those that most draws put together. Members of a branch that is too
    small to be a cluster are set aside: their label is -1.

    auto takes as many as the report shows first: what `disnplbm fit --clusters` asked for, by default all of up to 24
    clusters, and of more the level that their tree or the chains suggest.

    With --refine the table is read again, rows and columns that fit another cluster better move there, and nothing is
    set aside. The clusters are better then, and no longer unions of clusters of the run.

    \b
    Examples:
      disnplbm cut run --rows 5
      disnplbm cut run --rows 20 --columns auto --refine
      disnplbm cut run --rows auto --write-h5ad labelled.h5ad

    The folder holds rows.csv and columns.csv (id, label, the cluster of the run, and with draws how sure the label is)
    and blocks.csv.
    """
    from disnplbm.cli.outputs import check_target, make_target
    from disnplbm.engine.levels import CutRun
    from disnplbm.posterior.trees.grown import AXES

    if rows is None and columns is None:
        raise InputError("say how many clusters: --rows 5, --columns 4 or both")
    if table is not None and not (refine or write_h5ad):
        raise InputError("--table goes with --refine or --write-h5ad: a cut alone reads no table")
    if write_h5ad is not None and write_h5ad.exists():
        raise InputError(f"{write_h5ad} exists; choose another name for the labelled copy, or remove it")
    if write_h5ad is not None and (write_h5ad.suffix != ".h5ad" or not write_h5ad.parent.is_dir()):
        raise InputError(f"--write-h5ad {write_h5ad}: name a file that ends in .h5ad, in a folder that there is")
    run = CutRun.open(folder)
    rows, columns = (
        run.suggested(axis) if number == "auto" else cast("int | None", number)
        for axis, number in (("rows", rows), ("columns", columns))
    )
    sizes = "x".join("all" if number is None else str(number) for number in (rows, columns))
    target = output or folder / f"cut-{sizes}{'-refined' if refine else ''}"
    check_target(target, WRITTEN, HEADER)
    level = run.cut(rows, columns)
    if refine or write_h5ad:
        path = run.find_table(table)
        source = run.open_table(path)
        if refine:
            level = run.refine(level, source)
        else:
            run.check_table(source)
    certainty = run.judge(level)
    if write_h5ad:
        run.hand_back(level, certainty, path, source, write_h5ad)
    make_target(target, WRITTEN)
    run.write(level, certainty, target)
    for axis in AXES:
        _show(run, axis, getattr(level, axis), certainty.get(axis))
    click.echo(f"{'written':<10} {target}" + (f", {write_h5ad}" if write_h5ad else ""))


def _show(run: CutRun, axis: str, labels: Labels, certainty: Certainty | None) -> None:
    """Say how many clusters there are, their sizes, and how sure they are."""
    import numpy as np

    from disnplbm.notes import plural
    from disnplbm.report.levels import certainty_text

    sizes, aside = np.bincount(labels[labels >= 0]), int(np.count_nonzero(labels < 0))
    listed = ", ".join(f"{size:,}" for size in sizes[:SHOWN].tolist()) + (", ..." if len(sizes) > SHOWN else "")
    fine = len(getattr(run.trees, axis).sizes)
    text = f"{len(sizes):,} of {plural(fine, 'cluster')}, of {listed} {axis if sizes.sum() > 1 else axis[:-1]}"
    click.echo(f"{axis:<10} {text}" + (f"; {aside:,} set aside" if aside else ""))
    if certainty is not None:
        click.echo(f"{'':<10} {certainty_text(certainty.to_dict())}")
