"""``disnplbm explain``."""

from __future__ import annotations

from pathlib import Path

import click

from disnplbm.cli import common
from disnplbm.cli.common import Number
from disnplbm.runs.results import DERIVED_FILES

#: Members that are named as typical, and as not.
NAMED = 3

#: Files that are written, in this order, and what the first one begins with.
WRITTEN, HEADER = DERIVED_FILES["explain-"], "cluster,name,log_bayes_factor,"


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@common.axis_option("Whose clusters to explain.")
@click.option(
    "--clusters",
    type=Number("auto", "fine"),
    default="auto",
    metavar="K|auto|fine",
    show_default=True,
    help="How many: the level of the tree. auto is what the report shows first, and fine the clusters of the run.",
)
@common.table_option()
@click.option(
    "--top", type=click.IntRange(1), default=5, metavar="N", show_default=True, help="Most names told of each kind."
)
@common.output_option("DIR", "By default explain-rows or explain-columns in DIR.")
def command(folder: Path, axis: str, clusters: int | str, table: Path | None, top: int, output: Path | None) -> None:
    """Say what makes each cluster of the run in DIR: the columns that set its rows apart from all others.

    Each column is weighed by clusters that are found without it, so chance has no part in it: of all that is told, at
    most 5 % is expected to be false. The columns that say most come first. Rows that fit their cluster well are typical
    of it; the least typical ones fit another nearly as well, or better.

    \b
    Examples:
      disnplbm explain run
      disnplbm explain run --clusters 5 --top 10
      disnplbm explain run --axis columns

    The folder holds apart.csv (cluster, column, log Bayes factor, q-value, and the figures in the cluster and in the
    others) and members.csv (cluster, row, and how well it fits there).
    """
    from disnplbm.cli.inputs import printable
    from disnplbm.cli.outputs import check_target, make_target
    from disnplbm.engine.explain import explain_run, write_profiles
    from disnplbm.engine.levels import CutRun
    from disnplbm.families.category_names import component_names
    from disnplbm.notes import plural
    from disnplbm.report.profiles import sentence_of, told_of_all

    run = CutRun.open(folder)
    target = output or folder / f"explain-{axis}"
    check_target(target, WRITTEN, HEADER)
    source = run.open_table(run.find_table(table))
    names, others, profiles = explain_run(run, source, "rows" if axis == "rows" else "columns", clusters)
    meta = run.trees.meta
    words = component_names(meta.cells, meta.facts)
    fine, kept = len(getattr(run.trees, axis).sizes), sum(profile.size for profile in profiles)
    if fine > len(profiles):
        aside = f", and {plural(len(names) - kept, axis[:-1])} set aside" if kept < len(names) else ""
        click.echo(f"The {fine:,} {axis[:-1]} clusters of the run are merged into {len(profiles):,}{aside}.")
    for profile, told in zip(profiles, told_of_all(profiles, others, axis, words, top), strict=True):
        click.echo(printable(sentence_of(profile, told, axis)))
        if len(profiles) == 1:
            break
        typical, unlike = profile.typical[:NAMED], profile.typical[NAMED:][-NAMED:][::-1]
        said = f"  typical: {', '.join(names[i] for i in typical)}"
        said += f"; least typical: {', '.join(names[i] for i in unlike)}" if len(unlike) else ""
        click.echo(printable(said))
    transform = run.record["data"]["transform"]
    if len(profiles) > 1 and transform != "none":
        click.echo(f"The figures are in the units of the cells after {transform}.")
    make_target(target, WRITTEN)
    write_profiles(target, profiles, names, others)
    click.echo(f"{'written':<10} {target}")
