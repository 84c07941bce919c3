"""A fit of a table of several parts: a data frame of columns of several kinds, or tables over the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from disnplbm.data.fitted_table import FittedTable
from disnplbm.data.memory import available_bytes
from disnplbm.data.mixed.frames import find_parts_in_memory
from disnplbm.data.transform import NONE, Transform, check_transform
from disnplbm.engine.options import Options
from disnplbm.engine.parts import check_asked, prepare_parts, read_parts
from disnplbm.engine.problem import stored_problem
from disnplbm.engine.stages import Stages
from disnplbm.engine.summary import notes_on
from disnplbm.engine.warmup import warm_up_parts
from disnplbm.errors import InputError
from disnplbm.estimator.fitting import Fitted, sample_and_find
from disnplbm.estimator.tables import start_labels
from disnplbm.objects.store import open_store
from disnplbm.runs.request import Request


def fit_parts(
    given: Any,
    options: Options,
    start: Any,
    stages: Stages,
    *,
    columns_as: Mapping[str, str],
    n_shards: int | str,
    axis: str,
    transform: str | Sequence[str],
    threads: int,
    compile_first: bool,
) -> Fitted:
    """Run the chains on a table of several parts in memory; it goes the way of a file, through a store in memory.

    Parameters
    ----------
    given : DataFrame, Arrow table or dict
        As :func:`disnplbm.data.mixed.frames.find_parts_in_memory` takes it; so are the kinds of columns.
    start
        As the estimator is given it.
    transform : str or sequence of str
        Of real numbers; with "none" the columns of a frame of several kinds are standardised.

    Raises
    ------
    InputError
        The table cannot be read, or an option is not for tables of several parts.
    """
    created = datetime.now(UTC).isoformat(timespec="seconds")
    name, store = check_transform(transform), open_store("memory://")
    asked = Request("X", "X", n_shards, axis)  # type: ignore[arg-type]
    check_asked(asked, options)
    with stages("reading"):
        source = find_parts_in_memory(given, options.cells, columns_as, None if name == NONE else name)
        datasets = read_parts(source, store, "dataset", lambda done, total: stages.progress("reading", done, total), {})
        manifest = prepare_parts(source, datasets, store, "shards", asked, options, most_bytes=available_bytes())
        store.delete(chunk.key for part in datasets.parts for chunk in part.chunks)
    options = options.resolved(manifest.dimension, manifest.cells)
    if compile_first:
        with stages("compiling"):
            warm_up_parts(manifest.parts, options)
    problem, table = stored_problem(store, manifest, options, consume=True), FittedTable.of(datasets.parts, manifest)
    labels = start_labels(start, table.row_names, table.n, table.column_names)
    findings = sample_and_find(problem, options, labels, "null", table.column_names, stages, threads)
    notes = notes_on(findings.result, options, manifest.n_shards, manifest.cells)
    return Fitted(findings, table, Transform(), options, list(manifest.warnings), notes, created)


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Refuse parameters of the estimator that a table of several parts does not take yet."""
    for name in ("prior", "row_covariates", "column_covariates"):
        if parameters[name] is not None:
            raise InputError(f"tables of several kinds of columns do not take {name} yet: leave it out")
    if not isinstance(parameters["exposure"], str):
        raise InputError("tables of several kinds of columns do not take factors as exposure yet: leave them out")
