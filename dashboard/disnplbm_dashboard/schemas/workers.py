"""Who does the work."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from disnplbm_dashboard.schemas.common import Query


class Worker(BaseModel):
    """A worker that sent statistics lately."""

    name: str = Field(description="What it calls itself: host and process.")
    last_seen: datetime = Field(description="When it sent something for the last time.")
    shards: int = Field(description="That it did lately, of runs that are still there.")


class QueueAnswer(BaseModel):
    """A queue of the broker."""

    name: str = Field(description="What it is called at the broker.")
    waiting: int | None = Field(description="Messages that nobody has; null if there is no such queue.")
    consumers: int | None = Field(description="Workers that take messages from it.")


class Workers(BaseModel):
    """Workers and queues."""

    embedded: bool = Field(description="Whether this process does the runs itself.")
    workers: list[Worker] = Field(description="Workers that were heard from lately.")
    queues: list[QueueAnswer] = Field(
        description="The queues of the broker; none where this process does the runs itself."
    )
    broker: str | None = Field(description="Why the broker cannot be asked.")


class WantedQuery(Query):
    """How many workers there may be."""

    cap: Annotated[int, Field(ge=1, le=100_000, description="Most workers that one run may have.")] = 64


class Wanted(BaseModel):
    """How many workers there is work for."""

    wanted: int = Field(
        description="Shards that can be worked on at this moment, at most the cap for each run; for a run that has not"
        " begun, of which nothing is known yet, one."
    )
    runs: int = Field(description="That are running, or are about to.")
