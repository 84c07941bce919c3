"""Live streams of server-sent events; ``/events`` and ``/runs/{id}/events`` are their polling twins."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Annotated

from apiflask import APIBlueprint
from flask import Response, request
from pydantic import Field

from disnplbm_dashboard.backend import backend
from disnplbm_dashboard.problems import HttpProblem
from disnplbm_dashboard.schemas.common import Count, Query
from disnplbm_dashboard.security import still_allowed
from disnplbm_dashboard.tailer import TooMany

bp = APIBlueprint("streams", __name__, tag="Streams", url_prefix="/api/v1")


class StreamQuery(Query):
    """Where to begin."""

    after: Annotated[Count | None, Field(description="Number of the last event that is known.")] = None


@bp.get("/events/stream")
@bp.input(StreamQuery, location="query")
@bp.doc(responses={200: "Messages of kinds event (Event, with its id) and progress (ProgressMessage)."})
def stream_events(query_data: StreamQuery) -> Response:
    """What happens, as it happens; Last-Event-ID, or `after`, brings what was missed."""
    return _stream(None, query_data.after)


@bp.get("/runs/<run_id>/events/stream")
@bp.input(StreamQuery, location="query")
@bp.doc(responses={200: "Messages of kinds event (Event, with its id) and progress (ProgressMessage)."})
def stream_run_events(run_id: str, query_data: StreamQuery) -> Response:
    """What happens to a run, as it happens; Last-Event-ID, or `after`, brings what was missed."""
    return _stream(backend().service.run(run_id).id, query_data.after)


def _stream(run: str | None, after: int | None) -> Response:
    tailer = backend().tailer
    last = request.headers.get("Last-Event-ID", "")
    if last.isascii() and last.isdigit() and len(last) < 19:
        after = int(last)
    with ExitStack() as stack:
        try:
            client = stack.enter_context(tailer.listen(run))
        except TooMany:
            raise HttpProblem("limit", "too many listen already: ask /events now and then instead") from None
        leaving = stack.pop_all()
    # Not a generator's own business: one that is never begun is never ended.
    response = Response(_guard(tailer.stream(client, after, still_allowed())), 200, content_type="text/event-stream")
    response.headers["X-Accel-Buffering"] = "no"
    response.call_on_close(leaving.close)
    return response


def _guard(messages: Iterator[str]) -> Iterator[bytes]:
    for message in messages:
        yield message.encode()
