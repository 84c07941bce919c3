"""What came out of runs: files, and comparisons."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from apiflask import APIBlueprint
from flask import Response

from disnplbm.errors import InputError
from disnplbm.runs.records import RunRecord
from disnplbm.runs.results import Results
from disnplbm.runs.states import State
from disnplbm_dashboard.answers import reply
from disnplbm_dashboard.archives import zip_files
from disnplbm_dashboard.backend import backend
from disnplbm_dashboard.comparison import FEWEST, MOST, compare
from disnplbm_dashboard.downloads import conditional, file_response
from disnplbm_dashboard.heatmap.levels import read_levels
from disnplbm_dashboard.problems import HttpProblem
from disnplbm_dashboard.schemas.results import (
    Artifact,
    Artifacts,
    CompareQuery,
    Comparison,
    DownloadQuery,
    ExplanationAnswer,
    ExplanationQuery,
    LevelsAnswer,
)
from disnplbm_dashboard.spreadsheets import for_spreadsheet

bp = APIBlueprint("results", __name__, tag="Results", url_prefix="/api/v1")

#: Of the files of a run, by their endings.
TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".npz": "application/octet-stream",
}

#: A report brings its own scripts and styles: it gets a world of its own, in which nothing of this server is seen.
_REPORT = (
    "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data:"
)


@bp.get("/runs/<run_id>/artifacts")
@bp.output(Artifacts)
def list_artifacts(run_id: str) -> Response:
    """The files of a finished run."""
    sizes = backend().results.sizes(require_succeeded(run_id))
    items = [Artifact(name=name, bytes=size, media_type=_type(name)) for name, size in sizes.items()]
    return reply(Artifacts(items=items))


@bp.get("/runs/<run_id>/artifacts/<name>")
@bp.input(DownloadQuery, location="query")
@bp.doc(
    responses={
        200: "The file.",
        206: "The part of it that a Range header asks for.",
        304: "The client has it: If-None-Match names its ETag.",
    }
)
def get_artifact(run_id: str, name: str, query_data: DownloadQuery) -> Response:
    """A file of a finished run, or a part of it."""
    results, run = backend().results, require_succeeded(run_id)
    size = results.size(run, name)
    if size is None:
        raise HttpProblem("not-found", f"run {run.id} has no file of that name: /artifacts lists them")
    if query_data.spreadsheet:
        return _for_spreadsheet(results, run, name)
    headers = dict[str, str]()
    if name.endswith(".html"):
        headers["Content-Security-Policy"] = _REPORT
    else:
        headers["Content-Disposition"] = f'attachment; filename="{run.id}-{name}"'

    def read(first: int, stop: int) -> Iterable[bytes]:
        return map(bytes, results.parts(run, name, first, stop))

    return file_response(read, size, f"{run.id}-{name}-{size}", _type(name), headers)


def _for_spreadsheet(results: Results, run: RunRecord, name: str) -> Response:
    """A table whose names are text to a spreadsheet, too."""
    if not name.endswith(".csv"):
        raise InputError(f"{name} is no table: only a .csv can be had for a spreadsheet; leave that option out")
    headers = {"Content-Disposition": f'attachment; filename="{run.id}-{name.removesuffix(".csv")}-spreadsheet.csv"'}
    body = for_spreadsheet(map(bytes, results.parts(run, name)))
    return conditional(body, f"{run.id}-{name}-spreadsheet", _type(name), headers)


@bp.get("/runs/<run_id>/artifacts.zip")
@bp.input(DownloadQuery, location="query")
@bp.doc(responses={200: "The archive.", 304: "The client has it: If-None-Match names its ETag."})
def get_archive(run_id: str, query_data: DownloadQuery) -> Response:
    """All files of a finished run, as one zip archive."""
    results, run = backend().results, require_succeeded(run_id)
    files = {name: partial(results.parts, run, name) for name in results.names(run)}
    for name in files:
        # Now, while the answer still can be that one is damaged.
        results.check(run, name)
    kind = "-spreadsheet" if query_data.spreadsheet else ""
    headers = {"Content-Disposition": f'attachment; filename="{run.id}{kind}.zip"'}
    body = zip_files(files, run.id, spreadsheet=query_data.spreadsheet)
    return conditional(body, f"{run.id}-zip{kind}", "application/zip", headers)


@bp.get("/runs/<run_id>/levels")
@bp.output(LevelsAnswer)
def get_levels(run_id: str) -> Response:
    """How the clusters of a finished run merge, and what the blocks of any level are made from."""
    run = require_succeeded(run_id)
    found = read_levels(backend().results, run, backend().pictures.layout(run).overview)
    return reply(LevelsAnswer.model_validate({"levels": found}))


@bp.get("/runs/<run_id>/explanation")
@bp.input(ExplanationQuery, location="query")
@bp.output(ExplanationAnswer)
def get_explanation(run_id: str, query_data: ExplanationQuery) -> Response:
    """What makes each cluster of a finished run, at a level; as `disnplbm explain` says. It takes some seconds."""
    run = require_succeeded(run_id)
    here = backend()
    dataset = here.pictures.layout(run).dataset
    found = here.explanations.of(run, dataset, query_data.axis, query_data.clusters)
    return reply(ExplanationAnswer.model_validate({"axis": query_data.axis, **found}))


@bp.get("/compare")
@bp.input(CompareQuery, location="query")
@bp.output(Comparison)
def compare_runs(query_data: CompareQuery) -> Response:
    """Finished runs of one table side by side; the contingency tables are of the first two."""
    ids = list(dict.fromkeys(query_data.runs.split(",")))
    if not FEWEST <= len(ids) <= MOST:
        raise InputError(f"give {FEWEST} to {MOST} different runs")
    return reply(compare(backend().results, [require_succeeded(run_id) for run_id in ids]))


def require_succeeded(run_id: str) -> RunRecord:
    """Find a run, and check that it has results."""
    run = backend().service.run(run_id)
    if run.state != State.SUCCEEDED:
        raise HttpProblem("conflict", f"run {run.id} is {run.state}: only a run that SUCCEEDED has results")
    return run


def _type(name: str) -> str:
    return next((kind for ending, kind in TYPES.items() if name.endswith(ending)), "application/octet-stream")
