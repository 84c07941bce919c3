"""``disnplbm fit``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from disnplbm.cli import common


@click.command(epilog="Exit codes: 0 done, 1 failed while running, 2 wrong usage or input, 130 interrupted.")
@click.argument("input_path", metavar="INPUT", required=False, type=click.Path(path_type=Path))
@click.option(
    "--output", type=click.Path(path_type=Path), metavar="DIR", help="Run folder; by default named after INPUT."
)
@click.option(
    "--resume",
    "resume_from",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Go on with the interrupted run in DIR.",
)
@click.option("--iterations", default=100, show_default=True, metavar="N", help="Length of the chain.")
@click.option(
    "--burn-in", default=0, show_default=True, metavar="N", help="Iterations before the first draw that is kept."
)
@click.option(
    "--draws", type=int, metavar="N", help="States to keep after the burn-in; by default up to 200 with a burn-in."
)
@click.option("--chains", default=1, show_default=True, metavar="N", help="Independent chains whose draws are pooled.")
@click.option(
    "--estimate",
    type=click.Choice(["auto", "consensus", "map", "last"]),
    default="auto",
    show_default=True,
    help="What is reported; auto is the consensus of the draws, if there are any.",
)
@click.option(
    "--loss",
    type=click.Choice(["vi", "binder"]),
    help="What the consensus minimises over the draws: variation of information (default), or Binder's loss.",
)
@click.option(
    "--restarts",
    default=1,
    show_default=True,
    metavar="R",
    help="Start each chain where the best of R chains, a tenth as long, ended: by log joint.",
)
@click.option(
    "--sampler",
    type=click.Choice(["collapsed", "split-merge"]),
    default="collapsed",
    show_default=True,
    help="split-merge is exact for any number of shards, after the burn-in.",
)
@click.option(
    "--alpha",
    default="1.0",
    show_default=True,
    metavar="NUMBER|learn",
    help="Concentration of rows: larger, more row clusters.",
)
@click.option("--beta", default="1.0", show_default=True, metavar="NUMBER|learn", help="Concentration of columns.")
@click.option(
    "--fix-row-clusters", type=int, metavar="K", help="At most K row clusters: the parametric model, Dirichlet(alpha)."
)
@click.option("--fix-column-clusters", type=int, metavar="L", help="At most L column clusters.")
@click.option(
    "--seed", default=0, show_default=True, help="Same data, seed, shards and options: same result, bit for bit."
)
@click.option(
    "--start",
    default="random",
    show_default=True,
    metavar="random|one|singletons|FILE",
    help="Where the chain starts; FILE holds row labels, or is a run folder.",
)
@click.option(
    "--shards", default="auto", show_default=True, metavar="auto|N", help="1 is exact; more are faster and approximate."
)
@click.option(
    "--shard-axis",
    type=click.Choice(["auto", "rows", "columns"]),
    default="auto",
    show_default=True,
    help="auto takes the longer side.",
)
@click.option(
    "--threads", type=int, metavar="N", help="By default one for each processor; the result does not depend on it."
)
@click.option(
    "--transform",
    default="none",
    show_default=True,
    metavar="none|standardize|boxcox|log1p",
    help="Applied to every column; standardize brings them to one scale.",
)
@common.id_column
@common.header
@click.option(
    "--row-classes", metavar="NAME|FILE", help="Known row classes, a column or a label file: scored, not used."
)
@click.option(
    "--column-classes", type=click.Path(path_type=Path), metavar="FILE", help="Known column classes, a label file."
)
@click.option(
    "--view",
    type=click.Choice(["global", "local"]),
    default="global",
    show_default=True,
    help="What a shard sees of the other rows.",
)
@click.option(
    "--join",
    "join_mode",
    type=click.Choice(["blockwise", "averaged"]),
    default="blockwise",
    show_default=True,
    help="How shards' clusters are joined; averaged is the published way.",
)
@click.option(
    "--pair-moves",
    type=click.Choice(["on", "off"]),
    default="on",
    show_default=True,
    help="Merge and split whole clusters.",
)
@click.option(
    "--prior-scale",
    type=click.Choice(["covariance", "precision"]),
    default="covariance",
    show_default=True,
    help="precision is the published code's, and depends on units.",
)
@click.option("--kappa0", default=1.0, show_default=True, help="Cells that the prior mean of a block is worth.")
@click.option(
    "--psi0-factor", default=1.0, show_default=True, help="Scales the prior spread of a block: larger, fewer blocks."
)
@click.option(
    "--power", default=1.0, show_default=True, help="Likelihood power in (0, 1] for data the model does not fit."
)
@click.option("--force", is_flag=True, help="Overwrite an earlier run in the output folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object and no progress.")
def command(
    input_path: Path | None, output: Path | None, resume_from: Path | None, as_json: bool, **given: Any
) -> None:
    """Co-cluster the matrix in INPUT: its rows and its columns at once, finding both numbers of clusters.

    INPUT is a .csv or .tsv file (also .gz), .npy, .npz, .parquet, .h5ad or .mtx. Blank, NA and NaN cells are missing.

    \b
    Examples:
      disnplbm fit matrix.csv
      disnplbm fit genes.csv.gz --id-column sample --row-classes class --transform boxcox
      disnplbm fit big.npy --shards 64 --threads 8 --alpha 5 --beta 2 --output big-run
      disnplbm fit wine.csv --sampler split-merge --iterations 1000 --burn-in 500 --alpha learn
      disnplbm fit --resume big-run

    The run folder holds rows.csv, columns.csv, blocks.csv, trace.csv, run.json and report.html; with draws also
    draws.npz and similarity.npz.
    """
    if (input_path is None) == (resume_from is None):
        raise click.UsageError("give either INPUT or --resume DIR")
    if resume_from is not None:
        _refuse_beside_resume()
    from disnplbm.cli.execution import execute, show, thread_count
    from disnplbm.cli.progress import Bars
    from disnplbm.engine.folder import RunFolder

    threads = thread_count(given["threads"])
    with Bars(quiet=as_json) as bars:
        if resume_from is not None:
            folder = RunFolder.find(resume_from)
        else:
            assert input_path is not None
            folder = _prepare(input_path, output, given, bars)
        record = execute(folder, threads, bars)
    show(record, folder, as_json=as_json)


def _refuse_beside_resume() -> None:
    """A run goes on with the options it was begun with: refuse others instead of passing over them."""
    context = click.get_current_context()
    given = [
        parameter.opts[0]
        for parameter in context.command.params
        if parameter.name not in ("input_path", "resume_from", "threads", "as_json")
        and context.get_parameter_source(parameter.name or "") == click.core.ParameterSource.COMMANDLINE
    ]
    if given:
        raise click.UsageError(f"--resume goes on with the run as it was begun; leave out {', '.join(given)}")


def _prepare(input_path: Path, output: Path | None, given: dict[str, Any], bars: Any) -> Any:
    from disnplbm.cli.inputs import (
        concentration,
        known_columns,
        known_rows,
        opened,
        printable,
        shard_count,
        start_labels,
    )
    from disnplbm.engine.fit import Request, prepare_run
    from disnplbm.engine.folder import RunFolder
    from disnplbm.engine.options import Options

    start, start_rows, start_columns = start_labels(given["start"])
    options = Options(
        iterations=given["iterations"],
        burn_in=given["burn_in"],
        draws=given["draws"],
        chains=given["chains"],
        estimate=given["estimate"],
        loss=given["loss"],
        restarts=given["restarts"],
        sampler=given["sampler"],
        alpha=concentration("--alpha", given["alpha"]),
        beta=concentration("--beta", given["beta"]),
        fix_row_clusters=given["fix_row_clusters"],
        fix_column_clusters=given["fix_column_clusters"],
        seed=given["seed"],
        start=start,
        view=given["view"],
        join=given["join_mode"],
        pair_moves=given["pair_moves"] == "on",
        power=given["power"],
        prior_scale=given["prior_scale"],
        kappa0=given["kappa0"],
        psi0_factor=given["psi0_factor"],
    )
    class_column, row_classes = known_rows(given["row_classes"])
    request = Request(
        name=printable(input_path.name),
        path=printable(str(input_path)),
        n_shards=shard_count(given["shards"]),
        axis=given["shard_axis"],
        transform=given["transform"],
        row_classes=row_classes,
        column_classes=known_columns(given["column_classes"]),
        start_rows=start_rows,
        start_columns=start_columns,
    )
    source = opened(input_path, id_column=given["id_column"], class_column=class_column, header=given["header"])
    output = output or Path(f"{input_path.name.split('.')[0]}-run")
    folder = RunFolder.create(output, force=given["force"], reads=input_path)
    prepare_run(folder, source, request, options, bars)
    return folder
