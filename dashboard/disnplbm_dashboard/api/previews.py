"""Previews: what is in a file, before it is uploaded."""

from __future__ import annotations

from pathlib import Path

from apiflask import APIBlueprint
from flask import Response

from disnplbm.data.formats import usual_delimiter
from disnplbm.data.preview import MOST_BYTES
from disnplbm.engine.preparation import preview_upload, read_sent_factors
from disnplbm_dashboard.answers import reply
from disnplbm_dashboard.backend import backend
from disnplbm_dashboard.schemas.datasets import (
    LONGEST_BEGINNING,
    LONGEST_FACTORS,
    FactorsAnswer,
    FactorsFile,
    FileBeginning,
    PreviewAnswer,
    check_name,
)
from disnplbm_dashboard.security import BODY_BYTES, limit_body

bp = APIBlueprint("previews", __name__, tag="Previews", url_prefix="/api/v1/previews")

#: A beginning that says too little is asked for again, so many times as long.
_LONGER = 4


@bp.post("")
# As much as is looked at, in JSON, with the options beside it.
@limit_body(LONGEST_BEGINNING + BODY_BYTES)
@bp.input(FileBeginning)
@bp.output(PreviewAnswer)
def preview_file(json_data: FileBeginning) -> Response:
    """How a text file would be read, by its first bytes: before the rest of it is uploaded."""
    check_name(json_data.name)
    usual_delimiter(Path(json_data.name))
    beginning, reading = json_data.beginning(), json_data.stored()
    with backend().previews.take_turn():
        found = preview_upload(json_data.name, beginning, reading, whole=json_data.whole)
    longer = min(_LONGER * len(beginning), MOST_BYTES)
    next_bytes = longer if found.more and longer > len(beginning) else 0
    return reply(PreviewAnswer(next_bytes=next_bytes, **found.to_dict()))


@bp.post("/factors")
@limit_body(LONGEST_FACTORS + BODY_BYTES)
@bp.input(FactorsFile)
@bp.output(FactorsAnswer)
def preview_factors(json_data: FactorsFile) -> Response:
    """Read a file of factors for `row_factors` or `column_factors` of a new run. Nothing of it is kept."""
    check_name(json_data.name)
    file = json_data.file()
    with backend().previews.take_turn():
        found = read_sent_factors(json_data.name, file)
    return reply(FactorsAnswer(ids=None if found.ids is None else list(found.ids), labels=list(found.labels)))
