"""``disnplbm generate``."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option("--rows", default=20_000, show_default=True, metavar="N")
@click.option("--columns", default=90, show_default=True, metavar="P")
@click.option("--row-clusters", default=10, show_default=True, metavar="K")
@click.option("--column-clusters", default=3, show_default=True, metavar="L")
@click.option(
    "--cells",
    type=click.Choice(("gaussian", "counts", "binary", "categorical")),
    default="gaussian",
    show_default=True,
    help="What the cells are. Counts and 0/1 are written in sparse form.",
)
@click.option("--mean", type=float, metavar="X", help="Mean of the counts, or share of ones.  [default: 0.1]")
@click.option("--dimension", default=1, show_default=True, metavar="D", help="Numbers in a cell, if they are real.")
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
    cells: str,
    mean: float | None,
    dimension: int,
    missing: float,
    seed: int,
    output: Path,
) -> None:
    """Make a synthetic matrix with known blocks: x.npy, and the truth in rows.csv and columns.csv.

    With 10 x 3 clusters and one real number a cell, the blocks come from the DisNPLBM paper; otherwise they are drawn.
    Counts and 0/1 go into x.npz, as scipy.sparse.save_npz writes it. Rows and columns of counts differ in their totals.

    \b
    Examples:
      disnplbm generate --output demo
      disnplbm generate --rows 2000 --columns 60 --row-clusters 4 --column-clusters 4 --dimension 3 --output d3
      disnplbm generate --cells counts --columns 1000 --column-clusters 6 --output counts
      disnplbm fit demo/x.npy --row-classes demo/rows.csv --column-classes demo/columns.csv --output demo/run
    """
    from disnplbm.data.synthetic import generate

    table = generate(
        output,
        rows=rows,
        columns=columns,
        row_clusters=row_clusters,
        column_clusters=column_clusters,
        cells=cells,
        mean=mean,
        dimension=dimension,
        missing=missing,
        seed=seed,
    )
    click.echo(f"{table}  {rows:,} x {columns:,}, {row_clusters} x {column_clusters} blocks")
