"""``disnplbm generate``."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option("--rows", default=20_000, show_default=True, metavar="N")
@click.option("--columns", default=90, show_default=True, metavar="P")
@click.option("--row-clusters", default=10, show_default=True, metavar="K")
@click.option("--column-clusters", default=3, show_default=True, metavar="L")
@click.option("--dimension", default=1, show_default=True, metavar="D", help="Numbers in a cell.")
@click.option(
    "--missing", default=0.0, show_default=True, metavar="FRACTION", help="Probability that a cell is missing."
)
@click.option("--seed", default=0, show_default=True)
@click.option("--output", required=True, type=click.Path(path_type=Path), metavar="DIR")
def command(
    rows: int,
    columns: int,
    row_clusters: int,
    column_clusters: int,
    dimension: int,
    missing: float,
    seed: int,
    output: Path,
) -> None:
    """Make a synthetic matrix with known blocks: x.npy, and the truth in rows.csv and columns.csv.

    With 10 x 3 clusters and one number a cell, the blocks come from the DisNPLBM paper; otherwise they are drawn.

    \b
    Examples:
      disnplbm generate --output demo
      disnplbm generate --rows 2000 --columns 60 --row-clusters 4 --column-clusters 4 --dimension 3 --output d3
      disnplbm fit demo/x.npy --row-classes demo/rows.csv --column-classes demo/columns.csv --output demo/run
    """
    from disnplbm.data.synthetic import generate

    generate(
        output,
        rows=rows,
        columns=columns,
        row_clusters=row_clusters,
        column_clusters=column_clusters,
        dimension=dimension,
        missing=missing,
        seed=seed,
    )
    click.echo(f"{output / 'x.npy'}  {rows:,} x {columns:,}, {row_clusters} x {column_clusters} blocks")
