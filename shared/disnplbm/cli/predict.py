"""``disnplbm predict``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disnplbm.cli import common

if TYPE_CHECKING:
    from disnplbm.posterior.draws import Axis


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.argument("new_rows", metavar="NEW_ROWS", type=click.Path(path_type=Path))
@common.output_table
@common.reading_options
@click.option(
    "--row-classes",
    metavar="NAME|FILE",
    help="Known classes of the new rows, a column or a label file: they are compared with the clusters.",
)
@common.axis_option("columns: the table holds new columns of the fitted rows, in the fitted order.")
@click.option(
    "--exposure",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Factors of the new rows (columns), for a run on counts that was fitted with factors.",
)
@common.add_covariates
def command(
    folder: Path,
    new_rows: Path,
    output: Path | None,
    axis: Axis,
    exposure: Path | None,
    row_covariates: Path | None,
    column_covariates: Path | None,
    **given: Any,
) -> None:
    """Assign new rows to the clusters of the run in DIR, which was fitted with --burn-in or --draws.

    The table says for each row its cluster (-1: none of the run's), the cluster's probability, the probability of none
    of them, and the log density of its cells, averaged over the draws.

    \b
    Example:
      disnplbm fit old.csv --burn-in 100 --iterations 300 --output old-run
      disnplbm predict old-run new.csv --output new-labels.csv

    With --axis columns, new columns are assigned to column clusters. Each is transformed by what it holds itself.

    New rows hold what the run was fitted to: real numbers, counts, 0 and 1, or its categories. With --exposure margins,
    the cells of a new row of counts are expected to share its total as the columns of the fitted table share theirs.

    For a run on responses the table is a long one, as of `disnplbm fit --layout long`. Lines without a response are
    predicted: mean, standard deviation, and the ends of the interval that holds 95 %. Rows and columns may be new:
    --row-covariates and --column-covariates give the covariates that the run was fitted with. Lines of a new row or
    column that have a response say which cluster it belongs to.

    NEW_ROWS is read as the run read its table: options given here replace the options of the run, and columns that the
    run left out may be lacking.
    """
    from disnplbm.cli.flags import say_notes
    from disnplbm.cli.inputs import known_rows, write_records
    from disnplbm.data.covariates import read_covariates
    from disnplbm.data.factors import read_factors
    from disnplbm.data.matching import LabelList, match
    from disnplbm.engine.as_fitted import open_as_fitted
    from disnplbm.engine.predict import predict_table
    from disnplbm.engine.response_lines import HEADER, is_of_responses, predict_file
    from disnplbm.errors import InputError
    from disnplbm.machine import usable_cores
    from disnplbm.notes import plural

    if is_of_responses(folder):
        covariates = (None if path is None else read_covariates(path) for path in (row_covariates, column_covariates))
        lines, notes = predict_file(folder, new_rows, common.reading_of(given), *covariates)
        write_records(output, HEADER, lines)
        say_notes(notes)
        return
    class_column, listed = known_rows(given["row_classes"], given["id_column"])
    if axis == "columns" and given["row_classes"] is not None:
        raise InputError("--row-classes goes with --axis rows: leave it out, or name the column by --drop-column")
    chosen = common.list_chosen() | ({"class_column"} if class_column is not None else set())
    source, reading = open_as_fitted(folder, new_rows, common.reading_of(given, class_column), chosen)
    classed = reading.class_column is not None and listed is None and axis == "rows"
    factors = None if exposure is None else read_factors(exposure)
    header, records = predict_table(folder, source, usable_cores(), axis, classed=classed, factors=factors)
    names, labels, classes = list[str](), list[int](), list[str]()

    def watched() -> Iterator[tuple[Any, ...]]:
        for record in records:
            names.append(record[0])
            labels.append(record[1])
            classes.extend(record[5:])
            yield record

    write_records(output, header, watched())
    if output is not None:
        none = sum(label < 0 for label in labels)
        click.echo(f"{output}: {plural(len(labels), axis.removesuffix('s'))}, {none:,} of them in none of the clusters")
    say_notes(source.notes)
    if listed is not None:
        classes, notes = match(LabelList.from_plain(listed), names, "row", "row classes", source.name)
        say_notes(notes)
    if classed or listed is not None:
        _say_scores(classes, labels)


def _say_scores(classes: list[str], labels: list[int]) -> None:
    """Say on stderr how the clusters of new rows compare with their known classes."""
    import numpy as np

    from disnplbm.cli.flags import say_notes
    from disnplbm.engine.summary import of_known_class
    from disnplbm.posterior.scores import partition_scores

    truth, found, notes = of_known_class(classes, np.array(labels), "rows")
    say_notes(notes)
    if len(truth):
        ari, nmi = partition_scores(truth, found)
        click.echo(f"rows       ARI {ari:.2f}  NMI {nmi:.2f} against the known classes", err=True)
