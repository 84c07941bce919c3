"""From models to answers."""

from __future__ import annotations

from flask import Response
from pydantic import BaseModel


def reply(model: BaseModel, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A model as JSON; numbers that JSON does not have are null."""
    return Response(model.model_dump_json(by_alias=True), status, headers, content_type="application/json")


def nothing() -> Response:
    """Done, and nothing to say."""
    return Response(status=204)
