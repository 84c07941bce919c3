"""Workers and queues of a cluster."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from apiflask import APIBlueprint
from flask import Response

from disnplbm.errors import RunError
from disnplbm_dashboard.answers import reply
from disnplbm_dashboard.backend import backend
from disnplbm_dashboard.schemas.workers import QueueAnswer, Wanted, WantedQuery, Worker, Workers

bp = APIBlueprint("workers", __name__, tag="Workers", url_prefix="/api/v1/workers")

#: Workers that were not heard from for longer are not told of.
_LATELY = timedelta(hours=1)


@bp.get("")
@bp.output(Workers)
def list_workers() -> Response:
    """Workers that sent something lately, and what waits in the queues."""
    here = backend()
    found, why = [], None
    if here.runner is None:
        try:
            found = here.broker.queues()
        except RunError as error:
            why = str(error)
    return reply(
        Workers(
            embedded=here.runner is not None,
            workers=[
                Worker(name=name, last_seen=at, shards=shards)
                for name, at, shards in here.listing.workers(datetime.now(UTC) - _LATELY)
            ],
            queues=[QueueAnswer(name=one.name, waiting=one.waiting, consumers=one.consumers) for one in found],
            broker=why,
        )
    )


@bp.get("/wanted")
@bp.input(WantedQuery, location="query")
@bp.output(Wanted)
def wanted_workers(query_data: WantedQuery) -> Response:
    """How many workers there is work for: what an autoscaler asks."""
    shards = backend().listing.wanted()
    return reply(Wanted(wanted=sum(min(count, query_data.cap) for _, count in shards), runs=len(shards)))
