"""From models to answers."""

from __future__ import annotations

from flask import Response, request
from pydantic import BaseModel


def reply(model: BaseModel, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A model as JSON; numbers that JSON does not have are null."""
    return Response(model.model_dump_json(by_alias=True), status, headers, content_type="application/json")


def location(path: str) -> dict[str, str]:
    """The header that names what was made; the path is the server's own, without what a proxy puts before it."""
    return {"Location": request.script_root + path}


def nothing() -> Response:
    """Done, and nothing to say."""
    return Response(status=204)
