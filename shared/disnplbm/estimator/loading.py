"""A fitted model of a run folder: what ``disnplbm fit``, ``disnplbm download`` or ``save`` wrote, read back."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from disnplbm.data.covariates import RESPONSES
from disnplbm.data.factors import GIVEN
from disnplbm.data.fitted_table import FittedTable
from disnplbm.data.matching import is_counted
from disnplbm.data.memory import available_bytes, check_memory
from disnplbm.data.prepared import Prepared
from disnplbm.data.transform import Transform
from disnplbm.described import DESCRIBED
from disnplbm.engine.estimate import summarise_kept
from disnplbm.engine.findings import Findings
from disnplbm.engine.folder import RunFolder
from disnplbm.engine.options import Options
from disnplbm.engine.summary import notes_on
from disnplbm.engine.telling import PROFILES
from disnplbm.engine.whole import exposure_of
from disnplbm.errors import DisnplbmError, InputError, RunError
from disnplbm.estimator.fitting import Fitted
from disnplbm.estimator.parameters import in_parameters
from disnplbm.families.cell_type import Factors
from disnplbm.families.responses.table import covariates_of
from disnplbm.model.statistics import Floats
from disnplbm.notes import Hint, from_plain
from disnplbm.posterior.draw_store import open_draws
from disnplbm.posterior.draws import Draws, DrawsMeta
from disnplbm.posterior.result import Result
from disnplbm.posterior.summary import Summary
from disnplbm.posterior.trace import Trace
from disnplbm.posterior.trees.first import choose_first, first_level
from disnplbm.posterior.trees.grown import AXES, grow_all_drawn
from disnplbm.posterior.trees.store import load_trees
from disnplbm.sampler.trace_row import TraceRow

if TYPE_CHECKING:
    from disnplbm.report.folder import RunFolder as Read


class LoadingMixin:
    """Reads a fitted model from a run folder."""

    @classmethod
    def load(cls, folder: str | PathLike[str]) -> Self:
        """Read a run folder of ``disnplbm fit``, of ``disnplbm download`` or of :meth:`save` as a fitted model.

        The model is the one that was saved: labels, blocks, trees, trace, draws and what they say, bit for bit. It
        needs the folder no more. The folder has no table: :meth:`explain`, :meth:`impute` and :meth:`transform` take
        it as they always do.

        A folder keeps neither labels to start from, nor a ``prior`` of your own, and the model has no known classes.
        After a start from labels, ``start`` is "given", which :meth:`fit` refuses. ``set_params(prior=...)`` gives the
        prior again, which :meth:`explain` needs.

        Parameters
        ----------
        folder : path

        Returns
        -------
        NPLBM
            Fitted, with the parameters of the run.

        Raises
        ------
        InputError
            A ValueError: the folder holds no finished run, or one with more than 2,000 clusters of an axis, or the
            draws do not fit into memory.
        RunError
            A file is damaged, or of another run.
        """
        with in_parameters():
            record, fitted = read_fitted(Path(folder))
            model: Any = cls(**_parameters(fitted, record))
        model._keep(fitted)
        names = fitted.table.column_names
        model.n_features_in_ = len(names)
        if not is_counted(names):
            model.feature_names_in_ = np.array(names, dtype=object)
        model.seconds_ = dict(record.get("seconds_by_stage", {}))
        return model  # type: ignore[no-any-return]


def read_fitted(folder: Path) -> tuple[dict[str, Any], Fitted]:
    """Read a run folder as what a fit gave.

    The draws are summarised again, and their trees grown: files hold what people read of that, which is rounded.

    Returns
    -------
    record : dict
        What run.json says.
    fitted : Fitted

    Raises
    ------
    InputError
        The folder holds no finished run, or one without trees, or the draws do not fit into memory.
    RunError
        A file is damaged, or of another run.
    """
    from disnplbm.report.folder import read_run_folder  # brings pyarrow: 40 MB that a fit can do without

    record, trees = RunFolder(folder).load_record(), load_trees(RunFolder(folder).tree)
    read = read_run_folder(folder)
    with _explain_damage(folder / "run.json"):
        options = _options_of(folder, record)
        first, *more = _read_traces(folder / "trace.csv")
        rows, columns = (getattr(read, axis).labels.astype(np.int32) for axis in AXES)
        result = Result.of_one(rows, columns, trees.blocks, first, tuple(more), record["log_joint"])
        _check_same_run(folder, result, trees.blocks, record)
        draws = _load_draws(folder, trees.meta) if "posterior" in record else None
        summary = None if draws is None else _summarise(folder, draws, options, result)
        drawn = grow_all_drawn(draws, trees.loss)
        curves = choose_first(trees, drawn, result, options.clusters)
        findings = Findings(
            result,
            trees.meta,
            draws,
            summary,
            trees,
            curves,
            first_level(curves.first, trees, drawn, result),
            {axis: record[key] for axis, key in PROFILES.items() if key in record},
            (read.blocks.fit,),
            (read.heatmap,),
            record.get("restarts"),
        )
        notes = notes_on(result, options, record["shards"], trees.meta.cells)
        told = [from_plain(note) for note in record.get("notes", record["warnings"])]
        warnings = [note for note in told if note not in notes]
        transform, table = Transform.from_json(trees.meta.transform), _table_of(read, trees.meta)
        return record, Fitted(findings, table, transform, options, warnings, notes, record["created"])


def _options_of(folder: Path, record: Mapping[str, Any]) -> Options:
    beside = {"shards", "shard_axis"}
    try:
        return Options.from_dict({name: of for name, of in record["parameters"].items() if name not in beside})
    except InputError as error:
        raise RunError(f"{folder / 'run.json'} is damaged ({error.note}); fit again with ", Hint("force")) from error


def _read_traces(path: Path) -> list[Trace]:
    """The traces of all chains, in their order."""
    chains = dict[int, list[TraceRow]]()
    with _explain_damage(path), path.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            numbers: Any = {
                name: (int if name in ("row_clusters", "column_clusters") else float)(line[name])
                for name in TraceRow._fields
            }
            chains.setdefault(int(line["chain"]), []).append(TraceRow(**numbers))
    return [Trace.of(chains[chain]) for chain in sorted(chains)]


def _check_same_run(folder: Path, result: Result, blocks: Any, record: Mapping[str, Any]) -> None:
    """Refuse labels, traces and trees that are of several runs."""
    clusters = int(result.row_labels.max()) + 1, int(result.column_labels.max()) + 1
    if tuple(blocks.shape) != clusters or result.digest() != record["digest"]:
        raise RunError(
            f"the files in {folder} do not fit the digest in run.json: one is damaged or of another run; fit again"
            " with ",
            Hint("force"),
        )


def _load_draws(folder: Path, meta: DrawsMeta) -> Draws:
    """All draws, in memory."""
    path = RunFolder(folder).draws
    kept = open_draws(path)
    if (kept.n_rows, kept.n_columns) != (meta.n_rows, meta.n_columns):
        raise _other_draws(path)
    check_memory(path.stat().st_size, available_bytes(), str(path), "in memory", "use a machine with more")
    return Draws.of(kept, meta)


def _summarise(folder: Path, draws: Draws, options: Options, result: Result) -> Summary:
    """What the draws say of the partitions that the run reports."""
    summary, _ = summarise_kept(draws, options, result, seed=options.seed, chain=0)
    for found, labels in ((summary.rows, result.row_labels), (summary.columns, result.column_labels)):
        if not np.array_equal(found.labels, labels):
            raise _other_draws(RunFolder(folder).draws)
    return summary


def _other_draws(path: Path) -> RunError:
    return RunError(
        f"{path} does not give the labels in rows.csv and columns.csv: it is of another run or of another version; fit"
        " again with ",
        Hint("force"),
    )


def _table_of(read: Read, meta: DrawsMeta) -> FittedTable:
    """What the folder knows of the table; of real numbers not the moments, which only sampling asks for."""
    run, data = read.run, read.run["data"]
    prepared = Prepared(
        n=meta.n_rows,
        p=meta.n_columns,
        dimension=run["dimension"],
        axis=data["axis"],
        transform=data["transform"],
        mean=(),
        covariance=(),
        observed=meta.n_rows * meta.n_columns - data["missing_cells"],
        missing=data["missing_cells"],
        cells=meta.cells,
        facts=meta.facts,
    )
    return FittedTable(
        (prepared,),
        run["shards"],
        data["sha256"],
        read.rows.ids.to_pylist() if read.rows.named else None,
        read.columns.ids.to_pylist(),
        tuple(data.get("words", ())),
        data.get("reading", {}),
        data.get("written", {}),
    )


def _parameters(fitted: Fitted, record: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a model that is fitted so."""
    options, meta = fitted.options, fitted.findings.meta
    given = {option.parameter or name: getattr(options, name) for name, option in DESCRIBED.items()}
    given |= {"n_shards": record["shards"], "shard_axis": record["data"]["axis"]}
    given["column_transform"] = record["data"]["transform"]
    exposure = exposure_of(meta.facts, options) if options.exposure == GIVEN else options.exposure
    given["exposure"] = tuple(exposure) if isinstance(exposure, Factors) else exposure
    if meta.cells == RESPONSES:
        known = covariates_of(meta.facts)
        given["row_covariates"] = _named(known.rows, known.row_names)
        given["column_covariates"] = _named(known.columns, known.column_names)
    return given


def _named(covariates: Floats, names: tuple[str, ...]) -> Any:
    """Covariates as a table that names them; None where there are none."""
    import pyarrow as pa

    return pa.table(list(covariates.T), names=list(names)) if names else None


@contextmanager
def _explain_damage(path: Path) -> Iterator[None]:
    """Say which file is damaged where it holds something else than a run writes."""
    try:
        yield
    except DisnplbmError:
        raise
    except (OSError, KeyError, TypeError, ValueError, AttributeError, csv.Error) as error:
        raise RunError(f"{path} is damaged; fit again with ", Hint("force")) from error
