"""Runs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from apiflask import APIBlueprint
from flask import Response

from disnplbm.data.covariates import RESPONSES
from disnplbm.data.dataset import load_dataset
from disnplbm.data.factors import GIVEN
from disnplbm.described import DESCRIBED
from disnplbm.engine.known import load_request
from disnplbm.engine.labels import check_covariates, check_factors, covariates_of, match_exposure, match_labels
from disnplbm.engine.options import Options, lengths
from disnplbm.errors import InputError
from disnplbm.notes import Hint
from disnplbm.runs.partial import UPLOAD_PART_BYTES
from disnplbm.runs.progress import datasets_of, progress_of
from disnplbm.runs.records import DatasetRecord, RunRecord
from disnplbm.runs.request import COVARIATE_FIELDS, FACTOR_FIELDS, LABEL_FIELDS, Request
from disnplbm.runs.states import State
from disnplbm.sampler.trace_row import TraceRow
from disnplbm_dashboard.answers import location, nothing, reply
from disnplbm_dashboard.backend import backend
from disnplbm_dashboard.creation import create_once
from disnplbm_dashboard.schemas.common import AfterQuery, Events
from disnplbm_dashboard.schemas.events import events_answer
from disnplbm_dashboard.schemas.runs import (
    ActivityAnswer,
    IterationTimeline,
    NewRun,
    Reason,
    RunAnswer,
    RunChanges,
    Runs,
    RunsQuery,
    StreamTrace,
    Timeline,
    TimelineQuery,
    TraceAnswer,
    TraceQuery,
)
from disnplbm_dashboard.security import get_actor, limit_body

bp = APIBlueprint("runs", __name__, tag="Runs", url_prefix="/api/v1/runs")

#: Workers that were not heard from for longer do not work on a run.
_LATELY = timedelta(minutes=1)


@bp.post("")
@bp.input(NewRun)
@bp.output(RunAnswer, 201, description="It waits for its turn.")
@limit_body(UPLOAD_PART_BYTES)
def create_run(json_data: NewRun) -> Response:
    """Submit a run of a dataset. An Idempotency-Key header makes this safe to repeat."""
    dataset = backend().service.dataset(json_data.dataset)
    return _submit(json_data, dataset, Request(dataset.name, dataset.path), {})


@bp.get("")
@bp.input(RunsQuery, location="query")
@bp.output(Runs)
def list_runs(query_data: RunsQuery) -> Response:
    """Runs, by default the newest first."""
    listing = backend().listing
    page = listing.runs(
        states=_states(query_data.state),
        search=query_data.search,
        dataset=query_data.dataset,
        sort=query_data.sort,
        cursor=query_data.cursor,
        limit=query_data.limit,
    )
    return reply(Runs(items=_answers(page.records), next=page.cursor))


@bp.get("/<run_id>")
@bp.output(RunAnswer)
def get_run(run_id: str) -> Response:
    """One run: its state, and the actions that it allows."""
    return reply(_answer(backend().service.run(run_id)))


@bp.delete("/<run_id>")
@bp.doc(responses={204: "It is gone."})
def delete_run(run_id: str) -> Response:
    """Delete a run that is over, with its results."""
    backend().service.delete(run_id, get_actor().name)
    return nothing()


@bp.post("/<run_id>/cancel")
@bp.input(Reason)
@bp.output(RunAnswer)
def cancel_run(run_id: str, json_data: Reason) -> Response:
    """End a run for good, at once."""
    return reply(_answer(backend().service.cancel(run_id, get_actor().name, json_data.reason)))


@bp.post("/<run_id>/pause")
@bp.input(Reason)
@bp.output(RunAnswer)
def pause_run(run_id: str, json_data: Reason) -> Response:
    """Stop a run before its next iteration, until it is resumed."""
    return reply(_answer(backend().service.pause(run_id, get_actor().name, json_data.reason)))


@bp.post("/<run_id>/resume")
@bp.input(Reason)
@bp.output(RunAnswer)
def resume_run(run_id: str, json_data: Reason) -> Response:
    """Continue a run that was paused, or that failed."""
    run = backend().service.resume(run_id, get_actor().name, json_data.reason)
    backend().wake()
    return reply(_answer(run))


@bp.post("/<run_id>/clone")
@bp.input(RunChanges)
@bp.output(RunAnswer, 201, description="It waits for its turn.")
def clone_run(run_id: str, json_data: RunChanges) -> Response:
    """Submit a run again, with changes if some are given. An Idempotency-Key header makes this safe to repeat."""
    here = backend()
    run = here.service.run(run_id)
    dataset = here.service.dataset(run.dataset_id)
    request = load_request(here.store, run.id, run.request_seal)
    asked = replace(request.asked, path=dataset.path, transform=run.transform)
    return _submit(json_data, dataset, asked, dict(request.options))


@bp.get("/<run_id>/trace")
@bp.input(TraceQuery, location="query")
@bp.output(TraceAnswer)
def get_trace(run_id: str, query_data: TraceQuery) -> Response:
    """Log joint, numbers of clusters and seconds of each iteration so far, by chain."""
    run = backend().service.run(run_id)
    streams: dict[int, StreamTrace] = {}
    for row in backend().listing.trace(run.id, stream=query_data.stream, after=query_data.after):
        if row.stream not in streams:
            place = {"stream": row.stream, "chain": row.chain, "short": row.short}
            streams[row.stream] = StreamTrace(**place, iteration=[], **{name: [] for name in TraceRow._fields})
        for name in ("iteration", *TraceRow._fields):
            getattr(streams[row.stream], name).append(getattr(row, name))
    return reply(TraceAnswer(streams=list(streams.values())))


@bp.get("/<run_id>/shards")
@bp.input(TimelineQuery, location="query")
@bp.output(Timeline)
def get_shards(run_id: str, query_data: TimelineQuery) -> Response:
    """Which worker did each shard of an iteration, how long it waited and how long it took."""
    run = backend().service.run(run_id)
    rows = backend().listing.timeline(run.id, query_data.stream, after=query_data.after, limit=query_data.limit)
    return reply(Timeline(items=[IterationTimeline.of(row) for row in rows]))


@bp.get("/<run_id>/activity")
@bp.output(ActivityAnswer)
def get_activity(run_id: str) -> Response:
    """How many shards of the iterations under way are done, and when a worker was last heard from."""
    here = backend()
    run = here.service.run(run_id)
    found = here.listing.activity(run.id, datetime.now(UTC) - _LATELY)
    return reply(
        ActivityAnswer(
            embedded=here.runner is not None,
            shards=found.shards,
            arrived=found.arrived,
            workers=found.workers,
            last_seen=found.last,
        )
    )


@bp.get("/<run_id>/events")
@bp.input(AfterQuery, location="query")
@bp.output(Events)
def get_run_events(run_id: str, query_data: AfterQuery) -> Response:
    """What happened to a run, in order."""
    run = backend().service.run(run_id)
    found = backend().listing.events(run=run.id, after=query_data.after, limit=query_data.limit)
    return reply(events_answer(found, query_data.after))


def _submit(given: RunChanges, dataset: DatasetRecord, asked: Request, options: dict[str, Any]) -> Response:
    """Submit a run: what was asked before, and what is given now."""
    here = backend()
    changes = given.model_dump(exclude_none=True, exclude={"dataset", "options"})
    if "shards" in changes:
        changes["n_shards"] = changes.pop("shards")
    asked = replace(asked, **changes)
    if given.options is not None:
        options = options | given.options.model_dump(exclude_unset=True)
    iterations, burn_in = lengths(options.get("iterations"), options.get("burn_in"), options.get("chains", 1))
    checked = Options(**options | {"iterations": iterations, "burn_in": burn_in})
    if checked.exposure != GIVEN and not any(field in changes for field in FACTOR_FIELDS):
        # A run like another that had factors, and compares counts with something else.
        asked = replace(asked, row_factors=None, column_factors=None)
    if checked.cells != RESPONSES and not any(field in changes for field in COVARIATE_FIELDS):
        asked = replace(asked, row_covariates=None, column_covariates=None)
    _check_beside(asked, checked, dataset)

    def create(run_id: str | None) -> RunRecord:
        return here.service.submit(
            dataset.id, asked, checked.to_dict(), get_actor().name, run_id, here.settings.live_runs
        )

    run, fresh = create_once(given, create, here.service.run)
    here.wake()
    return reply(_answer(run), 201 if fresh else 200, location(f"/api/v1/runs/{run.id}"))


def _check_beside(asked: Request, options: Options, dataset: DatasetRecord) -> None:
    """Refuse labels and factors that do not fit, as far as the table is known, and cells that no server takes."""
    if options.cells in DESCRIBED["cells"].unserved:
        raise InputError(Hint("cells", options.cells), " is taken by `disnplbm fit` alone so far: choose another")
    check_factors(asked, options.exposure, options.cells)
    check_covariates(asked, options.cells)
    beside = (*LABEL_FIELDS, *FACTOR_FIELDS, *COVARIATE_FIELDS)
    if dataset.state == "READY" and any(getattr(asked, field) is not None for field in beside):
        there = load_dataset(backend().store, dataset.prefix, dataset.seal)
        match_labels(there, asked)
        match_exposure(there, asked, options.exposure, options.cells)
        covariates_of(there, asked, options.cells)


def _answers(runs: list[RunRecord]) -> list[RunAnswer]:
    database = backend().database
    datasets = datasets_of(database, runs)
    progress = progress_of(database, runs, datasets)
    may_change = get_actor().scope != "read"
    return [RunAnswer.of(run, datasets[run.dataset_id], progress[run.id], may_change=may_change) for run in runs]


def _answer(run: RunRecord) -> RunAnswer:
    return _answers([run])[0]


def _states(text: str | None) -> list[State]:
    return [] if text is None else [State(name) for name in text.split(",")]
