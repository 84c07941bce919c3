"""What live streams send."""

from __future__ import annotations

from pydantic import BaseModel

from disnplbm.runs.states import State
from disnplbm_dashboard.schemas.runs import Progress


class ProgressMessage(BaseModel):
    """How far a run has come; the data of messages of kind "progress"."""

    run: str
    state: State
    stage: str
    progress: Progress
    row_clusters: int | None
    column_clusters: int | None
    log_joint: float | None
