"""Pictures of a matrix."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from disnplbm_dashboard.schemas.common import Count, Query

_MOST_PIXELS = 2000


class HeatmapQuery(Query):
    """Which part, and how large."""

    order: Literal["reordered", "original"] = Field("reordered", description="By cluster, or as it was read.")
    row_from: Count = Field(0, description="The first row, by its position in that order.")
    row_to: Annotated[Count | None, Field(description="Before this position; by default the end.")] = None
    column_from: Count = Field(0, description="The first column.")
    column_to: Count | None = Field(None, description="Before which column it ends; by default after the last.")
    height: Annotated[int, Field(ge=1, le=_MOST_PIXELS, description="In pixels.")] = 600
    width: Annotated[int, Field(ge=1, le=_MOST_PIXELS, description="In pixels.")] = 400
    component: Annotated[int, Field(ge=0, le=1000, description="Which of a cell's numbers.")] = 0


class HeatmapAnswer(BaseModel):
    """A picture, with what it takes to draw and to label it.

    Pixel (i, j) covers the positions from + i (to - from) / height, and likewise of columns.
    """

    shape: tuple[int, int] = Field(description="Rows and columns of the whole matrix.")
    order: Literal["reordered", "original"] = Field(description="By cluster, or as it was read.")
    row_from: int = Field(description="The first row, by its position in that order.")
    row_to: int = Field(description="Before which row it ends.")
    column_from: int = Field(description="The first column.")
    column_to: int = Field(description="Before which column it ends.")
    height: int = Field(description="Pixels; no more than rows.")
    width: int = Field(description="In pixels.")
    mean: str = Field(description="Row by row: float32, little endian, in base64; NaN where nothing is observed.")
    missing: str | None = Field(
        description="Share of missing cells: likewise, a byte each, 255 for all; null: unknown."
    )
    exact: bool = Field(description="Whether every cell was looked at; else a sample of the cells of each pixel.")
    row_clusters: list[int] = Field(description="Positions where clusters begin, and where the last one ends.")
    column_clusters: list[int] = Field(description="Likewise, of the columns.")
    row_labels: list[int] = Field(description="Label of each cluster, in the order in which they are shown.")
    column_labels: list[int] = Field(description="Likewise, of the columns.")
    row_names: list[str] | None = Field(description="Of each pixel, where it is one row.")
    column_names: list[str] | None = Field(description="Likewise, of the columns.")
    cells: str = Field(description="Type of the cells: gaussian, counts, binary or categorical.")
    categories: list[str] | None = Field(
        description="What the categories are called; `mean` has the number of one, from 0. Null: other cells."
    )
    row_exposure: list[float] | None = Field(
        description="Of counts: the mean that the totals of rows and columns let expect of pixel (i, j) is row_exposure"
        "[i] x column_exposure[j]. Null: cells are not compared with it."
    )
    column_exposure: list[float] | None = Field(description="Likewise, of the columns.")
    scale: list[float] = Field(description="Quantiles of all cells at even distances, to spread colours over.")
