"""A run whose shards are there, as its chains need it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from disnplbm.data.dataset import load_dataset
from disnplbm.data.mixed.dataset import DatasetOfParts
from disnplbm.data.mixed.manifest import AnyManifest, ManifestOfParts, load_any_manifest
from disnplbm.data.sharding import choose_sharding
from disnplbm.engine.labels import covariates_of, match_exposure, match_labels
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem, problem_of_manifest, stored_problem
from disnplbm.engine.warmup import warm_up_parts
from disnplbm.model.statistics import Labels
from disnplbm.objects.seals import get_checked
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.records import Sources
from disnplbm.runs.request import PlainLabels, Request, RunRequest
from disnplbm.runs.results import request_key
from disnplbm.sampler.starts import Start


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """What does not change while a run is under way.

    Parameters
    ----------
    request : RunRequest
        With labels in the order of the data.
    problem : Problem
        With all shards in memory, or without any.
    """

    request: RunRequest
    options: Options
    manifest: AnyManifest
    problem: Problem

    def start(self) -> Start:
        """Where each chain starts, or the first of its short ones."""
        return start_of(self.problem, self.options, self.request.asked)


def start_of(problem: Problem, options: Options, asked: Request) -> Start:
    """Where each chain of what was asked for starts, or the first of its short ones."""
    return problem.start(options.first_start, _labels(asked.start_rows), _labels(asked.start_columns))


def load_request(store: ObjectStore, run: str, seal: str | None) -> RunRequest:
    """Read what was asked of a run; RunError if it is not what was written there."""
    return RunRequest.read(bytes(get_checked(store, request_key(run), seal)))


def load_run(store: ObjectStore, sources: Sources, *, with_shards: bool) -> Known:
    """Read a run, and the kernels it needs.

    Parameters
    ----------
    with_shards : bool
        Whether the problem gets the shards, all in memory.

    Raises
    ------
    InputError
        The run's classes, start labels or factors do not fit its data.
    RunError
        The object store cannot be read, what it has is not what was written there, or the run was begun by another
        version of the algorithm.
    """
    request = load_request(store, sources.run, sources.request_seal)
    request.check_algorithm(f"run {sources.run}", "submit it anew")
    options = Options.from_dict(request.options)
    manifest = load_any_manifest(store, sources.shards_prefix, sources.shards_seal)
    asked, warnings = _matched(store, manifest, request, options)
    warnings += options.notes(manifest.dimension)
    options = options.resolved(manifest.dimension, manifest.cells)
    warm_up_parts(manifest.parts, options)
    problem = stored_problem(store, manifest, options) if with_shards else problem_of_manifest(manifest, options)
    return Known(replace(request, asked=asked, warnings=warnings), options, manifest, problem)


def _matched(
    store: ObjectStore, manifest: AnyManifest, request: RunRequest, options: Options
) -> tuple[Request, list[str]]:
    """What was asked for, in the order of the data, and what to know of both."""
    datasets = [load_dataset(store, part.dataset, part.dataset_seal) for part in manifest.parts]
    if isinstance(manifest, ManifestOfParts):
        asked, notes = match_labels(DatasetOfParts(tuple(datasets)), request.asked)
        return asked, [*manifest.warnings, *notes]
    (dataset,) = datasets
    asked, notes = match_labels(dataset, request.asked)
    notes += match_exposure(dataset, asked, options.exposure, manifest.cells)[1]
    notes += covariates_of(dataset, asked, manifest.cells)[1]
    # Shards are shared by runs that ask for them in different ways, so that the manifest cannot say this.
    sharding = choose_sharding(dataset, n_shards=asked.n_shards, axis=asked.axis, cells=manifest.cells)
    clamped = [note for note in sharding.notes if note not in manifest.warnings]
    return asked, [*manifest.warnings, *clamped, *notes]


def _labels(labels: PlainLabels | None) -> Labels | None:
    return None if labels is None else np.array(labels, dtype=np.int32)
