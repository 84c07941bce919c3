"""What chains that ended leave behind: the files of a run folder."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from disnplbm.data.dataset import load_dataset
from disnplbm.data.fitted_table import FittedTable
from disnplbm.data.mixed.manifest import AnyManifest
from disnplbm.data.shards import load_transform
from disnplbm.engine.drive import Ended
from disnplbm.engine.findings import Findings, find
from disnplbm.engine.folder import RunFolder
from disnplbm.engine.known import Known
from disnplbm.engine.memory import give_back
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem, StoredShards
from disnplbm.engine.stages import Stages
from disnplbm.engine.summary import plain_classes, summarise
from disnplbm.files import scratch_folder
from disnplbm.objects.store import ObjectStore
from disnplbm.posterior.draw_store import pack_draws
from disnplbm.posterior.draws import Draws
from disnplbm.posterior.export import write_json, write_result
from disnplbm.posterior.similarity_store import save_similarities
from disnplbm.posterior.trees.store import save_trees
from disnplbm.report.heatmap import save_heatmaps
from disnplbm.report.page import is_built
from disnplbm.runs.records import Reported
from disnplbm.runs.request import RunRequest
from disnplbm.runs.results import put_results


def write_outcome(
    folder: Path,
    store: ObjectStore,
    draw_store: ObjectStore,
    problem: Problem,
    manifest: AnyManifest,
    request: RunRequest,
    options: Options,
    ended: Sequence[Ended],
    stages: Stages | None = None,
    draw_seals: Mapping[str, str | None] | None = None,
) -> dict[str, Any]:
    """Write the results of chains that ended.

    The shards are read once, once more where there are draws, and once more if the table is small. Those in memory are
    let go, one by one; of those in a store (:class:`~disnplbm.engine.problem.StoredShards`) one is in memory at a time.

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
    datasets = [load_dataset(store, part.dataset, part.dataset_seal) for part in manifest.parts]
    table = FittedTable.of(datasets, manifest)
    meta = problem.draws_meta(options, _transforms(store, manifest), table.column_names)

    def load_draws() -> Draws:
        return pack_draws(draw_store, RunFolder(folder).draws, meta, draw_seals)

    names = datasets[0].row_names, table.column_names
    loaded = load_draws if options.n_draws else None
    findings = find(problem, ended, meta, loaded, options, stages, tell_of=names)
    give_back()
    spent = request.seconds + sampling + time.perf_counter() - finishing
    return write_findings(folder, findings, table, request, options, spent, stages)


def _transforms(store: ObjectStore, manifest: AnyManifest) -> str:
    """What was done to the parts, as JSON: of one part its transform, of several a list of theirs."""
    texts = [load_transform(store, part).to_json() for part in manifest.parts]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def write_findings(
    folder: Path,
    findings: Findings,
    table: FittedTable,
    request: RunRequest,
    options: Options,
    seconds: float,
    stages: Stages,
) -> dict[str, Any]:
    """Write what chains have found as the files of a run folder, besides their draws.

    Parameters
    ----------
    seconds : float
        What all took until now.

    Returns
    -------
    dict
        What run.json holds.

    Raises
    ------
    RunError
        A file cannot be written.
    """
    result, summary = findings.result, findings.summary
    if summary is not None:
        with stages("similarity"):
            path = RunFolder(folder).similarity
            save_similarities(path, summary.reported.draws, result.row_labels, result.column_labels)
    if findings.trees is not None:
        save_trees(findings.trees, RunFolder(folder).tree)
    save_heatmaps(folder / "heatmap.npz", findings.heatmaps)
    write_result(
        folder,
        result,
        table.row_ids,
        table.column_names,
        findings.meta,
        findings.fits,
        summary,
        level=findings.level,
        classes=(plain_classes(request.asked.row_classes), plain_classes(request.asked.column_classes)),
    )
    record = summarise(findings, table, request, options, seconds)
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
