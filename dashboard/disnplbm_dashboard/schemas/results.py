"""What came out of runs."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from disnplbm_dashboard.schemas.common import Query


class Artifact(BaseModel):
    """A file of a finished run."""

    name: str
    bytes: int
    media_type: str


class Artifacts(BaseModel):
    """The files of a finished run."""

    items: list[Artifact]


class DownloadQuery(Query):
    """How tables are written."""

    spreadsheet: Annotated[
        bool,
        Field(
            description="Whether a cell of a .csv that a spreadsheet would take for a formula (it begins with = + - @"
            " and is no number) gets an apostrophe before it. By default every name is exactly as it is."
        ),
    ] = False


class CompareQuery(Query):
    """Which runs."""

    runs: Annotated[
        str, Field(description="Two to ten ids, joined by commas.", pattern=r"^[0-9a-f]{4,12}(,[0-9a-f]{4,12}){1,9}$")
    ]


class ComparedRun(BaseModel):
    """A run that is compared."""

    id: str
    name: str
    row_clusters: int
    column_clusters: int
    log_joint: float | None


class Agreement(BaseModel):
    """How alike the partitions of an axis are, for each pair of runs."""

    ari: list[list[float]] = Field(description="Adjusted Rand index.")
    nmi: list[list[float]] = Field(description="Normalised mutual information.")


class Parameter(BaseModel):
    """A parameter that the runs do not agree in."""

    name: str
    values: list[Any] = Field(description="In the order of the runs.")


class Contingency(BaseModel):
    """Rows, or columns, by their clusters in the first two runs."""

    rows: list[list[int]]
    columns: list[list[int]]


class Comparison(BaseModel):
    """Runs side by side."""

    runs: list[ComparedRun]
    rows: Agreement
    columns: Agreement
    parameters: list[Parameter]
    contingency: Contingency
