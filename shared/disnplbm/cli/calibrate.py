"""``disnplbm calibrate``."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disnplbm.cli import common

if TYPE_CHECKING:
    from disnplbm.data.reading import Reading
    from disnplbm.engine.calibrate import Calibration
    from disnplbm.engine.options import Options

CSV, PAGE = "calibration.csv", "calibration.html"
#: Of the fit that is proposed: enough to see whether they agree.
CHAINS = 4

FIGURES = ("power", "fit", "fit_error", "row_clusters", "column_clusters")

#: What calibration.csv has of the chains that walk down from power 1.
WALKED = tuple(f"{name}_walked" for name in FIGURES[1:])


@click.command()
@click.argument("input_path", metavar="INPUT", type=click.Path(path_type=Path))
@common.output_option("DIR", "By default INPUT-calibration.")
@click.option(
    "--powers",
    default="0.05,0.1,0.2,0.35,0.5,0.7,1",
    show_default=True,
    metavar="LIST",
    help="Powers to try, ascending up to 1.",
)
@common.bounded_option(
    "--iterations", default=200, show_default=True, metavar="N", help="Length of each chain; half of it is burn-in."
)
@common.described_option("alpha")
@common.described_option("beta")
@common.described_option("seed")
@common.bounded_option("--shards", default="auto", show_default=True, metavar="auto|N", help="Exact for any number.")
@common.bounded_option("--threads", type=int, metavar="N", help="By default one for each processor.")
@common.transform
@common.described_option("covariance")
@common.reading_options
@click.option("--row-classes", metavar="NAME", help="Column of known classes, which is left out of the data.")
@click.option("--force", is_flag=True, help="Overwrite an earlier calibration in the output folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and no progress.")
def command(input_path: Path, output: Path | None, as_json: bool, **given: Any) -> None:
    """Choose the likelihood power for the matrix in INPUT, without labels.

    Real data seldom follow the model exactly, and at power 1 the fit then takes more and more blocks to make up for it.
    Two chains run at each power: one from random clusters, and one that walks down from power 1. The tool draws the
    fit of the former against the number of blocks and picks the power where this curve bends most: beyond the bend,
    more blocks improve the fit little. This is a rule of thumb; look at the curve. A line says at which powers the two
    chains have other numbers of clusters. The cells are taken as real numbers, and a note says so where they are not.

    \b
    Example:
      disnplbm calibrate wine.csv --row-classes class --transform standardize

    The output folder holds calibration.csv and calibration.html, the curve.
    """
    from disnplbm.bars import Bars
    from disnplbm.cli.execution import thread_count
    from disnplbm.cli.flags import say_notes
    from disnplbm.cli.inputs import named_after, printable, shard_count
    from disnplbm.engine.apart import open_table
    from disnplbm.engine.calibrate import calibrate
    from disnplbm.engine.folder import RunFolder
    from disnplbm.report.page import NOT_BUILT, is_built

    threads = thread_count(given["threads"])
    powers, options = _powers(given["powers"]), _options(given)
    n_shards = shard_count(given["shards"])
    reading = common.reading_of(given, given["row_classes"]).but(words="no")
    source = open_table(input_path, reading)
    output = output or named_after(input_path.name, "calibration")
    _spare(input_path, output)
    with RunFolder.stage(output, force=given["force"], reads=[input_path]) as folder:
        with Bars(quiet=as_json) as bars:
            found = calibrate(
                source,
                folder.store(staged=True),
                options,
                powers,
                n_shards=n_shards,
                transform=given["transform"],
                threads=threads,
                progress=bars,
            )
        records = _write(found, printable(input_path.name), output)
    following = _fit_line(input_path, given, reading, found)
    if as_json:
        curve = [dict(zip((*FIGURES, *WALKED), record, strict=True)) for record in records]
        click.echo(json.dumps({**found.elbow.to_dict(), "ends": found.ends, "curve": curve, "fit_command": following}))
        return
    click.echo(found.elbow.sentence)
    click.echo(found.ends)
    click.echo(f"curve      {output / PAGE if is_built() else f'{output / CSV}; {NOT_BUILT}'}")
    click.echo(f"next       {following}")
    say_notes(found.warnings)


def _options(given: dict[str, Any]) -> Options:
    from disnplbm.cli.inputs import concentration
    from disnplbm.engine.options import Options

    return Options(
        iterations=given["iterations"],
        burn_in=max(given["iterations"], 0) // 2,
        sampler="split-merge",
        alpha=concentration("alpha", given["alpha"]),
        beta=concentration("beta", given["beta"]),
        seed=given["seed"],
        covariance=given["covariance"],
    )


def _write(found: Calibration, name: str, output: Path) -> list[tuple[float, ...]]:
    """Write the curve of a file of that name as a table and as a page; the table's records."""
    from disnplbm.files import whole_file
    from disnplbm.posterior.export import write_table
    from disnplbm.report.calibration import calibration_document, render_calibration
    from disnplbm.report.page import is_built

    columns = (found.powers, found.fit, found.fit_error, found.row_clusters, found.column_clusters)
    records = list(zip(*(column.tolist() for column in (*columns, *found.walked)), strict=True))
    document = calibration_document(name, *columns, found.elbow, found.ends)
    write_table(output / CSV, (*FIGURES, *WALKED), records)
    # The page of an earlier calibration does not show this one.
    (output / PAGE).unlink(missing_ok=True)
    if is_built():
        with whole_file(output / PAGE) as file:
            file.write(render_calibration(document))
    return records


def _powers(text: str) -> list[float]:
    """``--powers LIST``."""
    from disnplbm.errors import InputError

    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        raise InputError(f"--powers {text!r} must be numbers with commas between them, such as 0.1,0.5,1") from None


def _spare(input_path: Path, output: Path) -> None:
    """Refuse to write over the data."""
    from disnplbm.errors import InputError

    for file in (output / CSV, output / PAGE):
        if file.exists() and file.samefile(input_path):
            raise InputError(f"{file} is the input and would be overwritten; choose another --output")


def _fit_line(input_path: Path, given: dict[str, Any], reading: Reading, found: Calibration) -> str:
    """The command that fits the same data in the same way at the chosen power."""
    from disnplbm.cli.flags import words
    from disnplbm.cli.inputs import named_after
    from disnplbm.engine.calibrate import AS_NUMBERS
    from disnplbm.notes import Hint, Note

    power = found.elbow.power
    defaults = {p.name: p.default for p in command.params}
    hints = list[Hint]()
    for name in ("alpha", "beta", "seed", "shards", "threads", "transform", "covariance"):
        if given[name] is not None and given[name] != defaults[name]:
            hints.append(Hint(name, given[name]))
    if any(isinstance(note, Note) and AS_NUMBERS in note.parts for note in found.warnings):
        hints.append(AS_NUMBERS)
    iterations = given["iterations"]
    hints += [*reading.hints(), Hint("sampler", "split-merge"), Hint("iterations", iterations)]
    hints += [Hint("burn_in", iterations // 2), Hint("chains", CHAINS), Hint("power", f"{power:g}")]
    hints.append(Hint("output", named_after(input_path.name, f"power-{power:g}")))
    return shlex.join(["disnplbm", "fit", str(input_path), *(word for hint in hints for word in words(hint))])
