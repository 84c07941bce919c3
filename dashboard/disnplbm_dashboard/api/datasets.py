"""Datasets: uploads in parts, and what is in them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from apiflask import APIBlueprint
from flask import Response, request

from disnplbm.data.formats import kind_of
from disnplbm.errors import InputError
from disnplbm.runs.ids import Unknown
from disnplbm.runs.partial import UPLOAD_PART_BYTES, UploadRecord
from disnplbm.runs.records import DatasetRecord
from disnplbm_dashboard.answers import location, nothing, reply
from disnplbm_dashboard.backend import backend
from disnplbm_dashboard.creation import create_once
from disnplbm_dashboard.preflights import Making
from disnplbm_dashboard.problems import HttpProblem
from disnplbm_dashboard.schemas.datasets import (
    Completion,
    DatasetAnswer,
    Datasets,
    DatasetsQuery,
    NewDataset,
    NewName,
    Parts,
    PreflightAnswer,
    PreflightUnderWay,
    Reading,
    check_name,
)
from disnplbm_dashboard.security import get_actor, limit_body

bp = APIBlueprint("datasets", __name__, tag="Datasets", url_prefix="/api/v1/datasets")

#: A part is passed on in pieces of so many bytes.
_PIECE = 2**18


@bp.post("")
@bp.input(NewDataset)
@bp.output(DatasetAnswer, 201, description="Its parts can be sent now.")
def begin_upload(json_data: NewDataset) -> Response:
    """Announce a file.

    Then PUT its parts, and complete it. An Idempotency-Key header makes this safe to repeat. If its sha256 and its name
    are those of a dataset that is read in the same way, the answer is that dataset, and there is nothing to send.
    """
    here = backend()
    check_name(json_data.name)
    reading = json_data.stored()
    limits = here.settings
    if json_data.bytes > limits.upload_limit_bytes:
        raise HttpProblem(
            "too-large", f"{json_data.bytes} bytes are more than the {limits.upload_limit_bytes} of a file"
        )

    if json_data.sha256 is not None:
        same = here.service.dataset_like(json_data.name, json_data.sha256, reading)
        if same is not None:
            return reply(DatasetAnswer.of(same), 200, location(f"/api/v1/datasets/{same.id}"))

    def begin(upload_id: str | None) -> UploadRecord | DatasetRecord:
        return here.uploads.begin(
            json_data.name,
            json_data.bytes,
            sha256=json_data.sha256,
            reading=reading,
            actor=get_actor().name,
            upload_id=upload_id,
            most_bytes=limits.upload_total_bytes,
        )

    made, fresh = create_once(json_data, begin, _find)
    return reply(DatasetAnswer.of(made), 201 if fresh else 200, location(f"/api/v1/datasets/{made.id}"))


@bp.get("")
@bp.input(DatasetsQuery, location="query")
@bp.output(Datasets)
def list_datasets(query_data: DatasetsQuery) -> Response:
    """Datasets, the newest first, without unfinished uploads."""
    page = backend().listing.datasets(search=query_data.search, cursor=query_data.cursor, limit=query_data.limit)
    return reply(Datasets(items=[DatasetAnswer.of(record) for record in page.records], next=page.cursor))


@bp.get("/<dataset_id>")
@bp.output(DatasetAnswer)
def get_dataset(dataset_id: str) -> Response:
    """One dataset; its upload may still be under way."""
    return reply(DatasetAnswer.of(_find(dataset_id)))


@bp.delete("/<dataset_id>")
@bp.doc(responses={204: "It is gone."})
def delete_dataset(dataset_id: str) -> Response:
    """Delete a dataset that no run uses, or abandon its upload."""
    here, found = backend(), _find(dataset_id)
    if isinstance(found, UploadRecord):
        here.uploads.abandon(found.id)
    else:
        here.service.delete_dataset(found.id, get_actor().name)
    return nothing()


@bp.get("/<dataset_id>/parts")
@bp.output(Parts)
def list_parts(dataset_id: str) -> Response:
    """Which parts of an upload have arrived, so that an interrupted upload can continue."""
    here = backend()
    record = here.uploads.get(dataset_id)
    return reply(Parts(part_bytes=UPLOAD_PART_BYTES, parts=record.parts, present=here.uploads.list_parts(dataset_id)))


@bp.put("/<dataset_id>/parts/<int(max=999999):number>")
@bp.doc(responses={204: "It is kept."})
# A little more, so that a part that is too long is told its length.
@limit_body(UPLOAD_PART_BYTES + 1024)
def put_part(dataset_id: str, number: int) -> Response:
    """Send a part, as bytes; sending it again replaces it."""
    uploads = backend().uploads
    expected = uploads.get(dataset_id).part_bytes(number)
    length = request.content_length
    if length is None:
        raise HttpProblem("length-required", "send the part with a Content-Length")
    if expected and length != expected:
        raise InputError(f"part {number} must have {expected} bytes and has {length}: send it again")
    uploads.put(dataset_id, number, iter(partial(request.stream.read, _PIECE), b""))
    return nothing()


@bp.post("/<dataset_id>/complete")
@bp.input(Completion)
@bp.output(DatasetAnswer)
def complete_upload(dataset_id: str, json_data: Completion) -> Response:
    """Finish an upload after the last part. Its length is checked, and its sha256 if one was given."""
    here, found = backend(), _find(dataset_id)
    if isinstance(found, UploadRecord):
        found = here.uploads.complete(found.id, json_data.sha256, get_actor().name)
    elif json_data.sha256 not in (None, found.upload_sha256):
        raise InputError(f"dataset {found.id} was completed with another sha256 ({found.upload_sha256})")
    return reply(DatasetAnswer.of(found))


@bp.put("/<dataset_id>/reading")
@bp.input(Reading)
@bp.output(DatasetAnswer)
def put_reading(dataset_id: str, json_data: Reading) -> Response:
    """Change how the file is read. This works until a run uses the dataset."""
    return reply(DatasetAnswer.of(backend().service.read_otherwise(dataset_id, json_data.stored(), get_actor().name)))


@bp.put("/<dataset_id>/name")
@bp.input(NewName)
@bp.output(DatasetAnswer)
def put_name(dataset_id: str, json_data: NewName) -> Response:
    """Give a dataset another name. Its runs keep theirs."""
    service, name = backend().service, json_data.name
    check_name(name)
    kind = kind_of(Path(service.dataset(dataset_id).path))
    if kind_of(Path(name)) != kind:
        raise InputError(f"{name} does not say that this is a {kind} file: let the name end in {kind}")
    return reply(DatasetAnswer.of(service.rename_dataset(dataset_id, name, get_actor().name)))


@bp.get("/<dataset_id>/preflight")
@bp.output(PreflightAnswer)
@bp.doc(responses={202: "It is being made: ask again."})
def preflight_report(dataset_id: str) -> Response:
    """What is in a dataset, what is odd about it, and what a run will take; as `disnplbm check` says."""
    here = backend()
    found = here.preflights.of(here.service.dataset(dataset_id))
    if isinstance(found, Making):
        return reply(PreflightUnderWay(done=found.done, total=found.total), 202, {"Retry-After": "1"})
    return reply(PreflightAnswer.model_validate(found))


def _find(dataset_id: str) -> DatasetRecord | UploadRecord:
    """Find a dataset, or an upload under way."""
    here = backend()
    try:
        return here.uploads.get(dataset_id)
    except Unknown:
        return here.service.dataset(dataset_id)
