"""``disnplbm explain``."""

from __future__ import annotations

from pathlib import Path

import click

from disnplbm.cli.cut import Number

#: Members that are named as typical, and as not.
NAMED = 3


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--axis",
    type=click.Choice(["rows", "columns"]),
    default="rows",
    show_default=True,
    help="Whose clusters to explain.",
)
@click.option(
    "--clusters",
    type=Number("auto", "fine"),
    default="auto",
    metavar="K|auto|fine",
    show_default=True,
    help="How many: the level of the tree. auto is what the report shows first, and fine the clusters of the run.",
)
@click.option(
    "--table",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The table that was fitted; by default the file that the run read.",
)
@click.option(
    "--top", type=click.IntRange(1), default=5, metavar="N", show_default=True, help="Most names told of each kind."
)
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="By default explain-rows or explain-columns in DIR.",
)
def command(folder: Path, axis: str, clusters: int | str, table: Path | None, top: int, output: Path | None) -> None:
    """Say what makes each cluster of the run in DIR: the columns that set its rows apart from all others.

    Each column is weighed by clusters that are found without it, so chance has no part in it: of all that is told, 5 %
    is expected to be false. The columns that say most come first. Rows that fit their cluster well are typical of it;
    the least typical ones fit another nearly as well, or better.

    \b
    Examples:
      disnplbm explain run
      disnplbm explain run --clusters 5 --top 10
      disnplbm explain run --axis columns

    The folder holds apart.csv (cluster, column, log Bayes factor, q-value, and the figures in the cluster and in the
    others) and members.csv (cluster, row, and how well it fits there).
    """
    from disnplbm.cli.cut import table_of
    from disnplbm.cli.flags import say_notes
    from disnplbm.data.reading import Reading
    from disnplbm.engine.as_fitted import open_as_fitted
    from disnplbm.engine.explain import explain_run, write_profiles
    from disnplbm.engine.levels import CutRun
    from disnplbm.families.category_names import category_names
    from disnplbm.report.profiles import sentence_of

    run = CutRun.open(folder)
    source, _ = open_as_fitted(folder, table or table_of(folder), Reading(), ())
    names, others, profiles = explain_run(run, source, "rows" if axis == "rows" else "columns", clusters)
    say_notes(source.notes)
    meta = run.trees.meta
    words = meta.facts.get("words") or (category_names(meta.facts) if meta.cells == "categorical" else ())
    for profile in profiles:
        click.echo(sentence_of(profile, others, axis, words, top))
        if len(profiles) > 1:
            typical, unlike = profile.typical[:NAMED], profile.typical[NAMED:][-NAMED:][::-1]
            said = f"  typical: {', '.join(names[i] for i in typical)}"
            click.echo(said + (f"; least typical: {', '.join(names[i] for i in unlike)}" if len(unlike) else ""))
    target = output or folder / f"explain-{axis}"
    target.mkdir(parents=True, exist_ok=True)
    write_profiles(target, profiles, names, others)
    click.echo(f"{'written':<10} {target}")
