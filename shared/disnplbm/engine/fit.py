"""Fit a file: read it, shard it, run the chain, write the run folder. Interrupted runs go on where they stopped."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from disnplbm.data.dataset import ingest
from disnplbm.data.shards import load_manifest, prepare
from disnplbm.data.source import Source
from disnplbm.engine.chain import run_chain
from disnplbm.engine.checkpoint import LastState, load_checkpoint
from disnplbm.engine.folder import RunFolder
from disnplbm.engine.known import start_of
from disnplbm.engine.local import RunState
from disnplbm.engine.memory import give_back
from disnplbm.engine.options import Options
from disnplbm.engine.outcome import Ended, write_outcome
from disnplbm.engine.problem import Problem, stored_problem
from disnplbm.engine.request import Request, match_labels
from disnplbm.engine.restarts import best_start, short_iterations
from disnplbm.engine.stages import Progress, Stages
from disnplbm.engine.warmup import warm_up
from disnplbm.errors import InputError, Interrupted, RunError
from disnplbm.kernels import ALGORITHM_VERSION
from disnplbm.leaving import when_interrupted
from disnplbm.model.statistics import Labels
from disnplbm.posterior.draw_store import put_draw
from disnplbm.posterior.trace import Trace
from disnplbm.sampler.starts import Start

#: A running chain is written to disk this often, in seconds, besides when it is asked to stop.
CHECKPOINT_SECONDS = 10.0

MIB = 2**20

Softly = Callable[[], AbstractContextManager[Callable[[], bool]]]

_DATASET, _SHARDS = "dataset", "shards"


def prepare_run(
    folder: RunFolder,
    source: Source,
    request: Request,
    options: Options,
    progress: Progress,
    *,
    reading: dict[str, Any] | None = None,
) -> None:
    """Read the data and cut them into shards in the run's work folder, ready for :func:`run`.

    Parameters
    ----------
    folder : RunFolder
        Staged.
    source : Source
    request : Request
    options : Options
    progress : Progress
    reading : dict, optional
        How the source is read: what :meth:`disnplbm.data.reading.Reading.to_dict` wrote.

    Raises
    ------
    InputError
        The data, the classes or the start are at fault; an earlier run is as it was.
    """
    began, stages = time.perf_counter(), Stages(progress)
    store = folder.store(staged=True)
    with stages("reading"):
        dataset = ingest(source, store, _DATASET, lambda done, total: progress("reading", done, total), reading=reading)
    labels, notes = match_labels(dataset, request.given())
    notes += options.notes(dataset.dimension)
    options = options.resolved(dataset.dimension)
    with stages("sharding"):
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
    if options.n_draws:
        needed = options.bytes_of_draws(dataset.n, dataset.p, dataset.dimension)
        _check_room(folder.path, needed)
        progress("draws", 0, needed)
    folder.begin(
        {
            "name": request.name,
            "path": request.path,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "options": options.to_dict(),
            "algorithm": ALGORITHM_VERSION,
            **labels,
            "warnings": [*manifest.warnings, *notes],
            "seconds": time.perf_counter() - began,
            "stages": stages.seconds,
        },
        manifest.seal,
    )


def _check_room(folder: Path, needed: int) -> None:
    """Refuse draws of more bytes than the disk has."""
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise InputError(
            f"the draws take up to {needed / MIB:,.1f} MiB and {folder} has {free / MIB:,.1f} MiB free; keep fewer"
            " (--draws), or choose another --output"
        )


def run(folder: RunFolder, threads: int, progress: Progress, softly: Softly) -> dict[str, Any]:
    """Run the chain of a prepared folder to its end, from its checkpoint if it has one, and write the results.

    Parameters
    ----------
    folder : RunFolder
    threads : int
    progress : Progress
    softly : callable
        Opens a context for sampling, which is to end after an iteration and not in the middle of one; what the context
        gives is asked after every iteration whether to stop.

    Returns
    -------
    dict
        What run.json holds.

    Raises
    ------
    Interrupted
        The iterations done are kept.
    """
    with when_interrupted(lambda: f"stopped; what was computed is kept; continue with: {folder.resume_command}"):
        return _run(folder, threads, progress, softly)


def _run(folder: RunFolder, threads: int, progress: Progress, softly: Softly) -> dict[str, Any]:
    request = folder.load_request()
    if request["algorithm"] != ALGORITHM_VERSION:
        raise RunError(
            f"the run in {folder.path} was begun by version {request['algorithm']} of the algorithm and this is"
            f" {ALGORITHM_VERSION}: go on with the version it was begun with, or start it anew with --force"
        )
    options = Options.from_dict(request["options"])
    store = folder.store()
    manifest = load_manifest(store, _SHARDS, folder.load_seals()["shards"])
    stages = Stages(progress, request.get("stages"))
    with stages("compiling"):
        warm_up(manifest.dimension, options, complete=manifest.missing == 0)
    give_back()
    problem = stored_problem(store, manifest, options)
    try:
        runner = _Runner(folder, request, options, threads, progress, softly)
        with stages("sampling"):
            ended = [runner.run(problem.of_chain(chain)) for chain in range(options.chains)]
        record = write_outcome(folder.path, store, store, problem, manifest, request, options, ended, stages)
    except RunError as error:
        raise RunError(f"{error}; then go on with: {folder.resume_command}") from error
    folder.drop_work()
    return record


class _Runner:
    """Runs the chains of a run one after another, each from its checkpoint if it has one."""

    def __init__(
        self,
        folder: RunFolder,
        request: dict[str, Any],
        options: Options,
        threads: int,
        progress: Progress,
        softly: Softly,
    ) -> None:
        self._folder, self._request, self._options, self._threads = folder, request, options, threads
        self._progress, self._softly = progress, softly
        self._before = 0
        self._total = options.chains * (options.iterations + options.restarts * short_iterations(options))

    def run(self, problem: Problem) -> Ended:
        """Run a chain to its end; raise Interrupted if it is stopped."""
        options, chain = self._options, problem.parameters.chain
        start, starts, store = start_of(problem, options, self._request), list[Trace](), self._folder.store()
        if options.restarts > 1:
            length, given = short_iterations(options), start

            def short(problem: Problem, number: int) -> tuple[RunState, Trace]:
                return self._advance(problem, length, self._folder.short_checkpoint(chain, number), given)

            start, starts = best_start(problem, options.restarts, short)

        def keep(state: RunState, trace: Trace) -> None:
            if options.is_kept(len(trace)):
                put_draw(store, problem.draw(state, trace))

        state, trace = self._advance(problem, options.iterations, self._folder.checkpoint_of(chain), start, keep)
        return Ended(trace, starts, state)

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
        last = LastState(checkpoint, len(trace), CHECKPOINT_SECONDS)

        def watch(state: RunState, trace: Trace) -> bool:
            if keep is not None:
                keep(state, trace)
            last.see(state, trace)
            done = self._before + len(trace)
            self._progress("sampling", done, self._total, trace.latest())
            return should_stop() and done < self._total

        def stopped() -> str:
            done = self._before + last.save()
            command = self._folder.resume_command
            return f"stopped after {done} of {self._total} iterations; continue with: {command}"

        with when_interrupted(stopped), self._softly() as should_stop:
            state = run_chain(problem, iterations, self._threads, start, trace, watch)
            last.save()
            if len(trace) < iterations:
                raise Interrupted(stopped())
        self._before += len(trace)
        return state, trace


def _check_state(state: RunState, trace: Trace, problem: Problem, iterations: int, checkpoint: Path) -> None:
    """Refuse a checkpoint that is not of this run."""
    fits = (
        len(trace) + 1 == state.chain.broadcast.iteration <= iterations + 1
        and [len(labels) for labels in state.labels] == [shard.n_rows for shard in problem.shards]
        and len(state.chain.broadcast.column_labels) == problem.n_others
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
