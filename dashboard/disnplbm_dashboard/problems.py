"""Errors as ``application/problem+json`` (RFC 9457), with types that programs can rely on."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import structlog
from apiflask import APIFlask, HTTPError
from flask import Response
from werkzeug.exceptions import HTTPException

from disnplbm.errors import InputError, OptionsNeeded, RunError
from disnplbm.messaging.logs import mask_passwords
from disnplbm.notes import to_plain
from disnplbm.runs.database import DatabaseAway
from disnplbm.runs.ids import Unknown
from disnplbm.runs.limits import LimitReached
from disnplbm.runs.transitions import TransitionRefused

_log = structlog.get_logger(__name__)

CONTENT_TYPE = "application/problem+json"

PREFIX = "urn:disnplbm:problem:"

#: The last part of the type, status and title of every problem.
PROBLEMS: dict[str, tuple[int, str]] = {
    "bad-request": (400, "The request cannot be read"),
    "unauthorized": (401, "A token is needed"),
    "forbidden": (403, "The token does not allow this"),
    "cross-origin": (403, "Pages of other sites may not use this server"),
    "not-found": (404, "Not found"),
    "method-not-allowed": (405, "This method is not allowed here"),
    "conflict": (409, "The state of the run or dataset does not allow this"),
    "length-required": (411, "The request needs a Content-Length"),
    "too-large": (413, "This is too large"),
    "unsupported": (415, "This kind of body is not supported"),
    "range": (416, "The file has no such bytes"),
    "input": (422, "This cannot be read"),
    "validation": (422, "The request is not valid"),
    "key-reused": (422, "This Idempotency-Key was used for another request"),
    "limit": (429, "A limit is reached"),
    "internal": (500, "Internal error"),
    "storage": (500, "The server failed to do this"),
    "away": (503, "A part of the server is not available"),
}

_BY_STATUS = {
    400: "bad-request",
    401: "unauthorized",
    403: "forbidden",
    404: "not-found",
    405: "method-not-allowed",
    411: "length-required",
    413: "too-large",
    415: "unsupported",
    416: "range",
    422: "validation",
}


#: Errors of one answer, and characters of each.
_MOST_ERRORS, _LONGEST = 20, 300


class HttpProblem(Exception):
    """An answer that is a problem.

    Parameters
    ----------
    kind : str
        One of :data:`PROBLEMS`.
    detail : str
        What is wrong here, and how to mend it.
    """

    def __init__(self, kind: str, detail: str, **headers: str) -> None:
        super().__init__(detail)
        self.kind, self.detail, self.headers = kind, detail, headers


def answer(kind: str, detail: str, headers: dict[str, str] | None = None, **more: object) -> Response:
    """The response of a problem."""
    status, title = PROBLEMS[kind]
    body = {
        "type": PREFIX + kind,
        "title": title,
        "status": status,
        "detail": mask_passwords(" ".join(detail.split())),
        **more,
    }
    return Response(json.dumps(body), status, headers, content_type=CONTENT_TYPE)


def handle_problems(app: APIFlask) -> None:
    """Let every error of an application end as a problem."""

    def of_framework(error: HTTPError) -> Response:
        kind = _BY_STATUS.get(error.status_code, "bad-request" if error.status_code < 500 else "internal")
        found = list(itertools.islice(_errors(error.detail), _MOST_ERRORS))
        detail = "; ".join(f"{one['at']}: {one['what']}" for one in found[:3])
        return answer(kind, detail or str(error.message), None, **({"errors": found} if found else {}))

    def of_werkzeug(error: HTTPException) -> Response:
        status = error.code or 500
        kind = _BY_STATUS.get(status, "bad-request" if status < 500 else "internal")
        allowed = getattr(error, "valid_methods", None)
        return answer(kind, error.description or error.name, {"Allow": ", ".join(allowed)} if allowed else None)

    def of_ours(error: Exception) -> Response:
        if isinstance(error, HttpProblem):
            return answer(error.kind, error.detail, error.headers)
        if isinstance(error, OptionsNeeded):
            return answer("input", error.problem, reading=error.reading.to_dict(), **_noted(error.problem))
        return answer(_kind(error), str(error), **_noted(getattr(error, "note", "")))

    def unexpected(error: Exception) -> Response:
        _log.error("a request failed", exc_info=error)
        return answer("internal", "internal error: the server's log has the details; please report it")

    def too_deep(_error: Exception) -> Response:
        return answer("bad-request", "the body is nested too deeply")

    app.error_processor(of_framework)
    app.register_error_handler(HTTPException, of_werkzeug)
    for kind in (HttpProblem, InputError, RunError):
        app.register_error_handler(kind, of_ours)
    app.register_error_handler(RecursionError, too_deep)
    app.register_error_handler(Exception, unexpected)


def _noted(text: str) -> dict[str, Any]:
    """What a text names, as data."""
    plain = to_plain(text)
    if isinstance(plain, str):
        return {}
    parts = [mask_passwords(part) if isinstance(part, str) else part for part in plain["parts"]]
    return {"note": plain | {"parts": parts}}


def _kind(error: Exception) -> str:
    kinds = (
        (LimitReached, "limit"),
        (Unknown, "not-found"),
        (TransitionRefused, "conflict"),
        (InputError, "input"),
        (DatabaseAway, "away"),
    )
    return next((kind for of, kind in kinds if isinstance(error, of)), "storage")


def _errors(detail: Any) -> Iterator[dict[str, str]]:
    """What is wrong where, from what the framework found."""
    if isinstance(detail, dict):
        for place, fields in detail.items():
            for field, found in fields.items():
                for what in found:
                    yield {"at": f"{place}.{field}"[:_LONGEST], "what": what[:_LONGEST]}
