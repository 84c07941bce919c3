"""Fit a file: read it, shard it, run the chain, write the run folder. Interrupted runs go on where they stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np

from disnplbm.data.dataset import Dataset, ingest, load_dataset
from disnplbm.data.shards import Manifest, load_manifest, load_transform, prepare
from disnplbm.data.source import Source
from disnplbm.engine.chain import run_chain
from disnplbm.engine.check import BlockCheck
from disnplbm.engine.checkpoint import load_checkpoint, save_checkpoint
from disnplbm.engine.estimate import estimate
from disnplbm.engine.folder import RunFolder
from disnplbm.engine.local import RunState
from disnplbm.engine.memory import give_back
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem, stored_problem
from disnplbm.engine.restarts import best_start, described, short_iterations
from disnplbm.engine.summary import diagnosed, summarise
from disnplbm.engine.warmup import warm_up
from disnplbm.errors import InputError, Interrupted, RunError
from disnplbm.kernels import ALGORITHM_VERSION
from disnplbm.model.statistics import Labels
from disnplbm.posterior.draw_store import pack_draws, put_draw
from disnplbm.posterior.export import write_json, write_result
from disnplbm.posterior.normality import Normality
from disnplbm.posterior.result import Result
from disnplbm.posterior.similarity_store import save_similarities
from disnplbm.posterior.trace import Trace
from disnplbm.report.heatmap import HeatmapBuilder
from disnplbm.sampler.starts import Start

#: A running chain is written to disk this often, in seconds, besides when it is asked to stop.
CHECKPOINT_SECONDS = 10.0

_DATASET, _SHARDS = "dataset", "shards"


class Progress(Protocol):
    """Told how far a stage ("reading", "sharding", "compiling", "sampling") has come."""

    def __call__(self, stage: str, done: int, total: int, note: str = "") -> None:
        """Work done and work in all, in a unit of the stage's own; a note says how it looks."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to fit and how the data are cut, besides :class:`Options`.

    Parameters
    ----------
    name : str
        What to call the data.
    path : str
        Where they came from.
    n_shards : int or "auto"
    axis : {"auto", "rows", "columns"}
    transform : str
    row_classes, column_classes : sequence of str, optional
        Known classes, compared with the result.
    start_rows, start_columns : sequence of int, optional
        Labels to start from.
    """

    name: str
    path: str
    n_shards: int | Literal["auto"] = "auto"
    axis: Literal["auto", "rows", "columns"] = "auto"
    transform: str = "none"
    row_classes: Sequence[str] | None = None
    column_classes: Sequence[str] | None = None
    start_rows: Sequence[int] | None = None
    start_columns: Sequence[int] | None = None


def prepare_run(folder: RunFolder, source: Source, request: Request, options: Options, progress: Progress) -> None:
    """Read the data and cut them into shards in the run's work folder, ready for :func:`run`.

    Raises
    ------
    InputError
        The data, the classes or the start are at fault; nothing is left of them, and an earlier run is as it was.
    """
    began = time.perf_counter()
    try:
        store = folder.store(staged=True)
        dataset = ingest(source, store, _DATASET, lambda done, total: progress("reading", done, total))
        _check_lengths(request, dataset)
        manifest = prepare(
            dataset,
            store,
            _SHARDS,
            n_shards=request.n_shards,
            axis=request.axis,
            transform=request.transform,
            progress=lambda done, total: progress("sharding", done, total),
        )
        store.delete(chunk.key for chunk in dataset.chunks)
        folder.begin(
            {
                "name": request.name,
                "path": request.path,
                "created": datetime.now(UTC).isoformat(timespec="seconds"),
                "options": options.to_dict(),
                "algorithm": ALGORITHM_VERSION,
                "row_classes": _listed(request.row_classes or dataset.classes),
                "column_classes": _listed(request.column_classes),
                "start_rows": _listed(request.start_rows),
                "start_columns": _listed(request.start_columns),
                "warnings": list(manifest.warnings),
                "seconds": time.perf_counter() - began,
            }
        )
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and not folder.staging.exists():
            # In the moment between the start of the run and the return from here.
            raise Interrupted(f"stopped before the first iteration; go on with: {folder.resume_command}") from None
        folder.discard()
        raise


def run(folder: RunFolder, threads: int, progress: Progress, should_stop: Callable[[], bool]) -> dict[str, Any]:
    """Run the chain of a prepared folder to its end, from its checkpoint if it has one, and write the results.

    Parameters
    ----------
    folder : RunFolder
    threads : int
    progress : Progress
    should_stop : callable
        Asked after every iteration.

    Returns
    -------
    dict
        What run.json holds.

    Raises
    ------
    Interrupted
        ``should_stop`` said so; the checkpoint is on disk.
    """
    request = folder.load_request()
    if request["algorithm"] != ALGORITHM_VERSION:
        raise RunError(
            f"the run in {folder.path} was begun by version {request['algorithm']} of the algorithm and this is"
            f" {ALGORITHM_VERSION}: go on with the version it was begun with, or start it anew with --force"
        )
    options = Options.from_dict(request["options"])
    store = folder.store()
    manifest = load_manifest(store, _SHARDS)
    progress("compiling", 0, 1)
    warm_up(manifest.dimension, complete=manifest.missing == 0, sampler=options.sampler)
    progress("compiling", 1, 1)
    give_back()
    problem = stored_problem(store, manifest, options)
    try:
        runner = _Runner(folder, request, options, threads, progress, should_stop)
        ended = [runner.run(problem.of_chain(chain)) for chain in range(options.chains)]
        return _finish(folder, problem, manifest, request, options, ended)
    except RunError as error:
        raise RunError(f"{error}; then go on with: {folder.resume_command}") from error


@dataclass(frozen=True, slots=True)
class _Ended:
    """A chain at its end, with the traces of the short ones that it starts from the best of."""

    state: RunState
    trace: Trace
    starts: list[Trace]


class _Runner:
    """Runs the chains of a run one after another, each from its checkpoint if it has one."""

    def __init__(
        self,
        folder: RunFolder,
        request: dict[str, Any],
        options: Options,
        threads: int,
        progress: Progress,
        should_stop: Callable[[], bool],
    ) -> None:
        self._folder, self._request, self._options, self._threads = folder, request, options, threads
        self._progress, self._should_stop = progress, should_stop
        self._before = 0
        self._total = options.chains * (options.iterations + options.restarts * short_iterations(options))

    def run(self, problem: Problem) -> _Ended:
        """Run a chain to its end; raise Interrupted if it is stopped."""
        options, chain = self._options, problem.parameters.chain
        rows, columns = (_labels(self._request[name]) for name in ("start_rows", "start_columns"))
        start, starts, store = problem.start(options.start, rows, columns), list[Trace](), self._folder.store()
        if options.restarts > 1:
            length, given = short_iterations(options), start

            def short(problem: Problem, number: int) -> tuple[RunState, Trace]:
                return self._advance(problem, length, self._folder.short_checkpoint(chain, number), given)

            start, starts = best_start(problem, options.restarts, short)

        def keep(state: RunState, trace: Trace) -> None:
            if options.is_kept(len(trace)):
                put_draw(store, problem.draw(state, trace))

        state, trace = self._advance(problem, options.iterations, self._folder.checkpoint_of(chain), start, keep)
        return _Ended(state, trace, starts)

    def _advance(
        self,
        problem: Problem,
        iterations: int,
        checkpoint: Path,
        start: Start | RunState,
        keep: Callable[[RunState, Trace], None] | None = None,
    ) -> tuple[RunState, Trace]:
        """Run a chain, or a short one, to its end; raise Interrupted if it is stopped."""
        trace = Trace()
        if checkpoint.exists():
            start, trace = load_checkpoint(checkpoint)
            _check_state(start, trace, problem, iterations, checkpoint)
        kept, saved = len(trace), time.monotonic()

        def watch(state: RunState, trace: Trace) -> bool:
            nonlocal saved
            if keep is not None:
                keep(state, trace)
            note = f"K {trace.row_clusters[-1]}  L {trace.column_clusters[-1]}  log joint {trace.log_joint[-1]:,.1f}"
            done = self._before + len(trace)
            self._progress("sampling", done, self._total, note)
            if time.monotonic() - saved > CHECKPOINT_SECONDS:
                save_checkpoint(checkpoint, state, trace)
                saved = time.monotonic()
            return self._should_stop() and done < self._total

        state = run_chain(problem, iterations, self._threads, start, trace, watch)
        if len(trace) > kept:
            save_checkpoint(checkpoint, state, trace)
        self._before += len(trace)
        if len(trace) < iterations:
            command = self._folder.resume_command
            raise Interrupted(f"stopped after {self._before} of {self._total} iterations; go on with: {command}")
        return state, trace


def _finish(
    folder: RunFolder,
    problem: Problem,
    manifest: Manifest,
    request: dict[str, Any],
    options: Options,
    ended: list[_Ended],
) -> dict[str, Any]:
    """Write the results of chains that ended."""
    finishing = time.perf_counter()
    traces = [chain.trace for chain in ended]
    dataset = load_dataset(folder.store(), manifest.dataset)
    result = replace(problem.result(ended[0].state, traces[0]), more_traces=tuple(traces[1:]))
    summary, diagnosis = None, None
    if options.n_draws:
        transform = load_transform(folder.store(), manifest).to_json()
        meta = problem.draws_meta(options, dataset.n, dataset.p, transform, dataset.column_names)
        draws = pack_draws(folder.store(), folder.draws, meta)
        result, summary = estimate(problem, draws, options, result)
        diagnosis = diagnosed(draws, summary)
        save_similarities(folder.similarity, draws, result.row_labels, result.column_labels)
    for shard in problem.shards:
        shard.forget()
    normality = _last_look(problem, result, folder.path / "heatmap.npz")
    row_names = dataset.row_names if dataset.has_row_names else map(str, range(dataset.n))
    write_result(folder.path, result, row_names, dataset.column_names, normality, summary)
    give_back()
    sampling = sum(sum(trace.seconds) for chain in ended for trace in (chain.trace, *chain.starts))
    spent = request["seconds"] + sampling + time.perf_counter() - finishing
    record = summarise(result, summary, diagnosis, normality, manifest, request, options, spent)
    if options.restarts > 1:
        record["restarts"] = described(options, [chain.starts for chain in ended])
    write_json(folder.path / "run.json", record)
    from disnplbm.report.html import render_report  # brings pyarrow: 40 MB that sampling can do without

    render_report(folder.path)
    folder.drop_work()
    return record


def _check_state(state: RunState, trace: Trace, problem: Problem, iterations: int, checkpoint: Path) -> None:
    """Refuse a checkpoint that is not of this run."""
    fits = (
        len(trace) + 1 == state.chain.broadcast.iteration <= iterations + 1
        and [len(labels) for labels in state.labels] == [shard.n_rows for shard in problem.shards]
        and len(state.chain.broadcast.column_labels) == problem.shards[0].values.shape[1]
        and _below(state.chain.broadcast.column_labels, state.chain.n_column_clusters)
        and len(state.chain.maps) == len(state.labels)
        and all(_below(names, state.chain.n_row_clusters) for names in state.chain.maps)
        and all(_below(*pair) for pair in zip(state.labels, map(len, state.chain.maps), strict=True))
    )
    if not fits:
        raise RunError(f"the checkpoint {checkpoint} is of another run; start the run anew with --force")


def _below(labels: Labels, bound: int) -> bool:
    """Whether all labels lie in 0..bound-1: kernels write where labels point."""
    return len(labels) > 0 and int(labels.min()) >= 0 and int(labels.max()) < bound


def _last_look(problem: Problem, result: Result, path: Path) -> Normality:
    """Check the blocks, and aggregate the first component of all cells into the report's picture.

    The shards are let go one by one.
    """
    builder, check = HeatmapBuilder(result.row_labels, result.column_labels), BlockCheck(problem, result)
    centre, scale = problem.frame.centre[0], problem.frame.scale[0]
    n_items, n_others = problem.n_items, problem.shards[0].values.shape[1]
    while problem.shards:
        shard = problem.shards.pop()
        check.add(shard)
        values = shard.values[..., 0] * scale + centre
        items = np.arange(shard.index, n_items, shard.n_shards)
        if problem.axis == "rows":
            builder.add(values, items)
        else:
            builder.add(values.T, np.arange(n_others), items)
    builder.finish().save(path)
    return check.finish()


def _check_lengths(request: Request, dataset: Dataset) -> None:
    for given, length, noun in (
        (request.row_classes, dataset.n, "row classes"),
        (request.column_classes, dataset.p, "column classes"),
        (request.start_rows, dataset.n, "row labels to start from"),
        (request.start_columns, dataset.p, "column labels to start from"),
    ):
        if given is not None and len(given) != length:
            axis = "rows" if noun.startswith("row") else "columns"
            raise InputError(
                f"{len(given)} {noun} for {length} {axis} of {request.name}; give one for each, in the same order"
            )


def _labels(labels: list[int] | None) -> Labels | None:
    return None if labels is None else np.array(labels, dtype=np.int32)


def _listed(labels: Sequence[Any] | None) -> list[Any] | None:
    return None if labels is None else list(labels)
