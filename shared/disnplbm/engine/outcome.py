"""What chains that ended leave behind: the files of a run folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from disnplbm.data.dataset import load_dataset
from disnplbm.data.shards import Manifest, load_transform
from disnplbm.dealing import items_of
from disnplbm.engine.check import BlockCheck
from disnplbm.engine.drive import Ended, last_result
from disnplbm.engine.estimate import estimate
from disnplbm.engine.folder import RunFolder
from disnplbm.engine.known import Known
from disnplbm.engine.memory import give_back
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem, StoredShards
from disnplbm.engine.restarts import described
from disnplbm.engine.stages import Stages
from disnplbm.engine.summary import summarise
from disnplbm.engine.telling import tell_profiles
from disnplbm.families.base import BlockFit
from disnplbm.families.gaussian.cells import DenseCells
from disnplbm.files import scratch_folder
from disnplbm.model.statistics import Floats
from disnplbm.objects.store import ObjectStore
from disnplbm.posterior.draw_store import pack_draws
from disnplbm.posterior.export import write_json, write_result
from disnplbm.posterior.result import Result
from disnplbm.posterior.similarity_store import save_similarities
from disnplbm.posterior.trees.choosing import suggest_levels
from disnplbm.posterior.trees.store import Trees, grow_trees, save_trees
from disnplbm.report.heatmap import HeatmapBuilder
from disnplbm.report.page import is_built
from disnplbm.runs.records import Reported
from disnplbm.runs.request import RunRequest
from disnplbm.runs.results import put_results
from disnplbm.sampler.shard import Shard


def write_outcome(
    folder: Path,
    store: ObjectStore,
    draw_store: ObjectStore,
    problem: Problem,
    manifest: Manifest,
    request: RunRequest,
    options: Options,
    ended: Sequence[Ended],
    stages: Stages | None = None,
    draw_seals: Mapping[str, str | None] | None = None,
) -> dict[str, Any]:
    """Write the results of chains that ended.

    The shards are read once, or twice where there are draws. Those in memory are let go, one by one; of those in a
    store (:class:`~disnplbm.engine.problem.StoredShards`) one is in memory at a time.

    Parameters
    ----------
    folder : Path
        Gets the files of a run folder, in place of any of that name.
    store : ObjectStore
        Holds the dataset and the shards.
    draw_store : ObjectStore
        Holds ``draws/<chain>/<iteration>.npz``, and no other chain's; not looked at if the run keeps none.
    problem : Problem
        Of chain 0.
    ended : sequence of Ended
        In the order of the chains; the first with its state.
    stages : Stages, optional
        With what the stages before took; the ones from here on are told to it.
    draw_seals : mapping, optional
        As :func:`disnplbm.posterior.draw_store.pack_draws` takes them.

    Returns
    -------
    dict
        What run.json holds.

    Raises
    ------
    RunError
        A file cannot be written, or an object is missing or damaged.
    """
    finishing, stages = time.perf_counter(), stages or Stages()
    sampling = sum(sum(trace.seconds) for chain in ended for trace in (chain.trace, *chain.starts))
    stages.seconds["sampling"] = sampling
    dataset = load_dataset(store, manifest.dataset, manifest.dataset_seal)
    result, summary, draws = last_result(problem, ended), None, None
    transform = load_transform(store, manifest).to_json()
    meta = problem.draws_meta(options, dataset.n, dataset.p, transform, dataset.column_names)
    if options.n_draws:
        with stages("consensus"):
            draws = pack_draws(draw_store, RunFolder(folder).draws, meta, draw_seals)
            result, summary = estimate(problem, draws, options, result)
        with stages("similarity"):
            path = RunFolder(folder).similarity
            save_similarities(path, summary.reported.draws, result.row_labels, result.column_labels)
    with stages("trees"):
        levels = None
        if (trees := grow_trees(result, meta)) is not None:
            save_trees(trees, RunFolder(folder).tree)
            levels = suggest_levels(trees, draws)
    merged = None if trees is None or levels is None else levels.merge(trees)
    with stages("profiles"):
        rows = result.row_labels if merged is None else merged[0][result.row_labels]
        told = tell_profiles(problem, rows, result.column_labels, dataset)
    with stages("blocks"):
        fit = _check_blocks(problem, result, trees, folder / "heatmap.npz")
    row_names = dataset.row_names if dataset.has_row_names else map(str, range(dataset.n))
    write_result(
        folder,
        result,
        row_names,
        dataset.column_names,
        problem.family,
        fit,
        summary,
        words=dataset.words,
        levels=merged,
    )
    give_back()
    spent = request.seconds + sampling + time.perf_counter() - finishing
    record = summarise(result, summary, fit, manifest, request, options, spent, dataset, levels)
    if told:
        record["profiles"] = told
    if options.restarts > 1:
        record["restarts"] = described(options, [chain.starts for chain in ended])
    write_json(folder / "run.json", record)
    with stages("report"):
        if is_built():
            from disnplbm.report.html import render_report  # brings pyarrow: 40 MB that sampling can do without

            render_report(folder)
    record["seconds_by_stage"] = {stage: round(seconds, 4) for stage, seconds in stages.seconds.items()}
    write_json(folder / "run.json", record)
    return record


class Stored(NamedTuple):
    """Results that are in an object store: what a run reports of them, and the seal of each file by its name."""

    reported: Reported
    seals: dict[str, str]


def store_outcome(
    store: ObjectStore,
    run: str,
    known: Known,
    ended: Sequence[Ended],
    wanted: Callable[[], bool],
    draw_seals: Mapping[str, str | None] | None = None,
) -> Stored | None:
    """Write the results of a run in an object store, and put them there.

    One shard is in memory at a time; what is there already is replaced.

    Parameters
    ----------
    known : Known
        With or without shards, which are read from the store.
    ended : sequence of Ended
        In the order of the chains; the first with its state.
    wanted : callable
        Whether the run still is to get them.
    draw_seals : mapping, optional
        As :func:`disnplbm.posterior.draw_store.pack_draws` takes them.

    Returns
    -------
    Stored or None
        None if they were not wanted any more.

    Raises
    ------
    RunError
        A file cannot be written, or an object is missing or damaged.
    """
    shards = StoredShards(store, known.manifest, known.problem)
    with scratch_folder("disnplbm-finish-") as folder:
        record = write_outcome(
            folder,
            store,
            store.under(f"runs/{run}"),
            replace(known.problem, shards=shards),
            known.manifest,
            known.request,
            known.options,
            ended,
            draw_seals=draw_seals,
        )
        seals = put_results(store, run, folder, wanted)
    return None if seals is None else Stored(Reported(**{name: record[name] for name in Reported._fields}), seals)


def _check_blocks(problem: Problem, result: Result, trees: Trees | None, path: Path) -> BlockFit | None:
    """Check the blocks, and aggregate the first component of all cells into the report's picture.

    In the picture the clusters stand in the order of their trees, so that branches are together.
    """
    shown_rows, shown_columns = (None, None) if trees is None else (trees.rows.leaves, trees.columns.leaves)
    builder = HeatmapBuilder(
        result.row_labels, result.column_labels, shown_rows=shown_rows, shown_columns=shown_columns
    )
    check = BlockCheck(problem, result)

    def check_shard(shard: Shard) -> None:
        check.add(shard)
        values = _shown(problem, shard)
        items = items_of(shard.index, problem.n_items, shard.n_shards)
        if problem.axis == "rows":
            builder.add(values, items)
        else:
            builder.add(
                csr_array(values.T) if isinstance(values, csr_array) else values.T, np.arange(problem.n_others), items
            )

    shards = problem.shards
    if isinstance(shards, list):
        for shard in shards:
            shard.drop_cache()
    for index in reversed(range(len(shards))):
        check_shard(shards.pop() if isinstance(shards, list) else shards[index])
    builder.finish().save(path)
    return check.finish()


def _shown(problem: Problem, shard: Shard) -> Floats | csr_array:
    """The cells of a shard as the picture has them: numbers in the user's units."""
    if not isinstance(shard.cells, DenseCells):
        sparse: csr_array = shard.cells.to_csr()
        return sparse
    values = shard.cells.values[..., 0]
    return np.asarray(values * problem.frame.scale[0] + problem.frame.centre[0])
