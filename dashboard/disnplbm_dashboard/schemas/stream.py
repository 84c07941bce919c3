"""What live streams send."""

from __future__ import annotations

from pydantic import BaseModel, Field

from disnplbm.runs.states import State
from disnplbm_dashboard.schemas.runs import Progress


class ProgressMessage(BaseModel):
    """How far a run has come; the data of messages of kind "progress"."""

    run: str = Field(description="Id of the run.")
    state: State = Field(description="Where it stands.")
    stage: str = Field(description="What is being done, as of the run.")
    progress: Progress = Field(description="How far it has come.")
    row_clusters: int | None = Field(description="Of the first chain, after its last iteration.")
    column_clusters: int | None = Field(description="Likewise.")
    log_joint: float | None = Field(description="Likewise.")
