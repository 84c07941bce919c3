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
from disnplbm.data.memory import available_bytes, size_needed, size_there
from disnplbm.data.mixed.columns import SourceOfParts
from disnplbm.data.mixed.manifest import AnyManifest, load_any_manifest
from disnplbm.data.shards import prepare
from disnplbm.data.table import Source, is_read_quickly, is_sparse, kind_of
from disnplbm.engine.drive import Stopped, drive
from disnplbm.engine.folder import RunFolder
from disnplbm.engine.known import start_of
from disnplbm.engine.labels import covariates_of, match_exposure, match_labels
from disnplbm.engine.memory import give_back
from disnplbm.engine.options import Options
from disnplbm.engine.outcome import write_outcome
from disnplbm.engine.parts import check_asked, prepare_parts, read_parts
from disnplbm.engine.problem import stored_problem
from disnplbm.engine.recording import FolderRecorder
from disnplbm.engine.residence import check_least, share_out
from disnplbm.engine.stages import Progress, Stages
from disnplbm.engine.warmup import warm_up_beside, warm_up_parts
from disnplbm.errors import InputError, Interrupted, RunError
from disnplbm.leaving import when_interrupted
from disnplbm.notes import Hint, Note
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.request import Request, RunRequest

Softly = Callable[[], AbstractContextManager[Callable[[], bool]]]

_DATASET, _SHARDS = "dataset", "shards"


def prepare_run(
    folder: RunFolder,
    source: Source | SourceOfParts,
    asked: Request,
    options: Options,
    progress: Progress,
    *,
    reading: dict[str, Any] | None = None,
    memory: int | None = None,
) -> None:
    """Read the data and cut them into shards in the run's work folder, ready for :func:`run`.

    Parameters
    ----------
    folder : RunFolder
        Staged.
    reading : dict, optional
        How the source is read: what :meth:`disnplbm.data.reading.Reading.to_dict` wrote.
    memory : int, optional
        Bytes that the run may take; by default what is free.

    Raises
    ------
    InputError
        The data, the classes, the start or the factors cannot be used; an earlier run is as it was.
    """
    began, stages = time.perf_counter(), Stages(progress)
    memory = available_bytes() if memory is None else memory
    store = folder.store(staged=True)
    if isinstance(source, SourceOfParts):
        shape, manifest, asked, notes = _prepare_parts(folder, store, source, asked, options, stages, reading, memory)
    else:
        shape, manifest, asked, notes = _prepare_table(folder, store, source, asked, options, stages, reading, memory)
    notes += options.notes(manifest.dimension)
    options = options.resolved(manifest.dimension, manifest.cells)
    if options.n_draws:
        needed = options.bytes_of_draws(*shape, manifest.dimension)
        _check_room(folder.path, needed)
        progress("draws", 0, needed)
    request = RunRequest(
        asked=asked,
        options=options.to_dict(),
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        warnings=[*manifest.warnings, *notes],
        seconds=time.perf_counter() - began,
        stages=stages.seconds,
    )
    folder.begin(request, manifest.seal)


def _prepare_table(
    folder: RunFolder,
    store: ObjectStore,
    source: Source,
    asked: Request,
    options: Options,
    stages: Stages,
    reading: dict[str, Any] | None,
    memory: int,
) -> tuple[tuple[int, int], AnyManifest, Request, list[str]]:
    """Read and cut a table of one part.

    Returns
    -------
    shape : tuple of int
        Rows and columns.
    manifest : AnyManifest
    asked : Request
        In the order of the table.
    notes : list of str
        How that was matched.
    """
    if (rows := getattr(source, "rows", None)) is not None:
        check_least(memory, rows, len(source.column_names))
        _check_disk(folder.path, source, rows, _bytes_of_shards(source) + _bytes_of_copy(source))
    warm_up_beside(source, options)
    with stages("reading"):
        dataset = ingest(
            source,
            store,
            _DATASET,
            lambda done, total: stages.progress("reading", done, total),
            reading=reading,
            keep_cells=not is_read_quickly(source),
        )
    check_least(memory, dataset.n, dataset.p)
    _check_disk(folder.path, source, dataset.n, _bytes_of_shards(source))
    asked, notes = match_labels(dataset, asked)
    options.resolved(dataset.dimension)
    exposure, of_factors = match_exposure(dataset, asked, options.exposure, options.cells)
    covariates, of_covariates = covariates_of(dataset, asked, options.cells)
    with stages("sharding"):
        manifest = prepare(
            dataset,
            store,
            _SHARDS,
            n_shards=asked.n_shards,
            axis=asked.axis,
            transform=asked.transform,
            cells=options.cells,
            exposure=exposure,
            covariates=covariates,
            most_bytes=available_bytes(),
            progress=lambda done, total: stages.progress("sharding", done, total),
        )
    store.delete(chunk.key for chunk in dataset.chunks)
    return (dataset.n, dataset.p), manifest, asked, [*notes, *of_factors, *of_covariates]


def _prepare_parts(
    folder: RunFolder,
    store: ObjectStore,
    source: SourceOfParts,
    asked: Request,
    options: Options,
    stages: Stages,
    reading: dict[str, Any] | None,
    memory: int,
) -> tuple[tuple[int, int], AnyManifest, Request, list[str]]:
    """The same of a table of several parts."""
    check_asked(asked, options)
    with stages("reading"):
        dataset = read_parts(
            source, store, _DATASET, lambda done, total: stages.progress("reading", done, total), reading or {}
        )
    check_least(memory, dataset.n, dataset.p)
    for part in source.parts:
        _check_disk(folder.path, part.source, dataset.n, _bytes_of_shards(part.source))
    asked, notes = match_labels(dataset, asked)
    with stages("sharding"):
        manifest = prepare_parts(
            source,
            dataset,
            store,
            _SHARDS,
            asked,
            options,
            most_bytes=available_bytes(),
            progress=lambda done, total: stages.progress("sharding", done, total),
        )
    store.delete(chunk.key for part in dataset.parts for chunk in part.chunks)
    return (dataset.n, dataset.p), manifest, asked, notes


def _bytes_of_shards(source: Source) -> int:
    """Of each number in the shards of a table with all its zeros, at most; they hold what a sparse one stores."""
    return 0 if is_sparse(source) else min(kind_of(source).itemsize, 8)


def _bytes_of_copy(source: Source) -> int:
    """Of each number in the copy of a table that lies beside its shards until they are cut."""
    return 0 if is_sparse(source) or is_read_quickly(source) else 8


def _check_disk(folder: Path, source: Source, rows: int, number_bytes: int) -> None:
    """Refuse a table whose numbers the disk cannot take."""
    columns = len(source.column_names)
    needed, free = rows * columns * source.dimension * number_bytes, shutil.disk_usage(folder).free
    if needed > free:
        raise InputError(
            f"{source.name}: {rows:,} x {columns:,} cells take {size_needed(needed)} on disk while they are fitted,"
            f" and {folder} has {size_there(free)} free; free some, or choose another ",
            Hint("output"),
        )


def _check_room(folder: Path, needed: int) -> None:
    """Refuse draws of more bytes than the disk has."""
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise InputError(
            f"the draws take up to {size_needed(needed)} and {folder} has {size_there(free)} free; keep fewer (",
            Hint("draws"),
            "), or choose another ",
            Hint("output"),
        )


def run(
    folder: RunFolder, threads: int, progress: Progress, softly: Softly, *, memory: int | None = None
) -> dict[str, Any]:
    """Run the chain of a prepared folder to its end, from its checkpoint if it has one, and write the results.

    Parameters
    ----------
    softly : callable
        Opens a context for sampling, which is to end after an iteration and not in the middle of one; what the context
        gives is asked after every iteration whether to stop.
    memory : int, optional
        Bytes that this process may take: cells that do not fit are read from their files. By default what is free.

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
        return _run(folder, threads, progress, softly, available_bytes() if memory is None else memory)


def _run(folder: RunFolder, threads: int, progress: Progress, softly: Softly, memory: int) -> dict[str, Any]:
    request = folder.load_request()
    request.check_algorithm(f"the run in {folder.path}", Note("start it anew with ", Hint("force")))
    options = Options.from_dict(request.options)
    store = folder.store()
    manifest = load_any_manifest(store, _SHARDS, folder.load_seals()["shards"])
    stages = Stages(progress, request.stages)
    with stages("compiling"):
        warm_up_parts(manifest.parts, options)
    give_back()
    residence = share_out(manifest, memory, on_disk=True)
    problem = stored_problem(store, manifest, options, residence=residence)
    # What the shards were read through.
    give_back()
    try:
        with stages("sampling"), softly() as should_stop:
            recorder = FolderRecorder(folder, problem, options, progress, should_stop)
            with when_interrupted(recorder.left):
                ended = drive(problem, options, start_of(problem, options, request.asked), recorder, threads)
        record = write_outcome(folder.path, store, store, problem, manifest, request, options, ended, stages)
    except Stopped:
        raise Interrupted(recorder.left()) from None
    except RunError as error:
        raise RunError(error.note, f"; then continue it: {folder.resume_command}") from error
    folder.drop_work()
    return record
