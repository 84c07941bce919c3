"""``disnplbm score``."""

from __future__ import annotations

import json
from pathlib import Path

import click


@click.command()
@click.argument("truth", type=click.Path(path_type=Path))
@click.argument("labels", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(truth: Path, labels: Path, as_json: bool) -> None:
    """Compare the partitions in two label files: adjusted Rand index and normalised mutual information.

    A label file is a CSV with a column `label` or `class` (and perhaps `id`), one label a line, or a 1-D .npy. Labels
    are matched by id where both files have ids, and taken in order otherwise. Items without a label (blank, NA, NaN)
    are left out.

    \b
    Example:
      disnplbm score demo/rows.csv demo/run/rows.csv
    """
    from disnplbm.cli.flags import say_notes
    from disnplbm.data.classes import paired, read_labels
    from disnplbm.posterior.scores import partition_scores

    classes, found, notes = paired(read_labels(truth), read_labels(labels), str(truth), str(labels))
    ari, nmi = partition_scores(classes, found)
    click.echo(json.dumps({"ari": ari, "nmi": nmi}) if as_json else f"ARI {ari:.4f}\nNMI {nmi:.4f}")
    say_notes(notes)
