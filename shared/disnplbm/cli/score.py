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

    A label file is a CSV with a column `label` or `class` (and perhaps `id`), one label a line, or a 1-D .npy.

    \b
    Example:
      disnplbm score demo/rows.csv demo/run/rows.csv
    """
    from disnplbm.data.classes import read_labels
    from disnplbm.errors import InputError
    from disnplbm.posterior.scores import partition_scores

    first, second = read_labels(truth)[1], read_labels(labels)[1]
    if len(first) != len(second):
        raise InputError(
            f"{truth} has {len(first)} labels and {labels} has {len(second)}; they must describe the same items"
        )
    ari, nmi = partition_scores(first, second)
    click.echo(json.dumps({"ari": ari, "nmi": nmi}) if as_json else f"ARI {ari:.4f}\nNMI {nmi:.4f}")
