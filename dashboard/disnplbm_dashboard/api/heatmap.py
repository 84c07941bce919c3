"""Pictures of the matrix of a finished run."""

from __future__ import annotations

import base64

import numpy as np
from apiflask import APIBlueprint
from flask import Response

from disnplbm_dashboard.answers import reply
from disnplbm_dashboard.api.results import require_succeeded
from disnplbm_dashboard.backend import backend
from disnplbm_dashboard.heatmap.viewport import Span
from disnplbm_dashboard.schemas.heatmap import HeatmapAnswer, HeatmapQuery

bp = APIBlueprint("heatmap", __name__, tag="Heatmap", url_prefix="/api/v1")

#: Names are given of no more pixels.
_NAMED = 500


@bp.get("/runs/<run_id>/heatmap")
@bp.input(HeatmapQuery, location="query")
@bp.output(HeatmapAnswer)
def get_heatmap(run_id: str, query_data: HeatmapQuery) -> Response:
    """A part of a finished run's matrix, reordered by cluster or as it was read, at a given size in pixels."""
    asked, pictures, run = query_data, backend().pictures, require_succeeded(run_id)
    layout = pictures.layout(run)
    n, p = layout.overview.shape
    rows = Span.of("rows", n, asked.row_from, asked.row_to, asked.height)
    columns = Span.of("columns", p, asked.column_from, asked.column_to, asked.width)
    picture = pictures.picture(run, asked.order, rows, columns, asked.component)
    row_order, column_order = (layout.order(asked.order, axis) for axis in ("rows", "columns"))
    of_rows, of_columns = (None, None) if picture.exposures is None else (each.tolist() for each in picture.exposures)
    missing = None if picture.missing is None else np.rint(picture.missing * 255).astype(np.uint8)
    return reply(
        HeatmapAnswer(
            shape=(n, p),
            order=asked.order,
            row_from=rows.first,
            row_to=rows.stop,
            column_from=columns.first,
            column_to=columns.stop,
            height=rows.pixels,
            width=columns.pixels,
            mean=base64.b64encode(picture.mean.astype("<f4").tobytes()).decode(),
            missing=None if missing is None else base64.b64encode(missing.tobytes()).decode(),
            exact=picture.exact,
            row_clusters=layout.clusters(asked.order, "rows"),
            column_clusters=layout.clusters(asked.order, "columns"),
            row_labels=layout.labels(asked.order, "rows"),
            column_labels=layout.labels(asked.order, "columns"),
            row_names=layout.row_names(row_order[rows.first : rows.stop]) if _single(rows) else None,
            column_names=layout.column_names(column_order[columns.first : columns.stop]) if _single(columns) else None,
            cells=layout.manifest.cells,
            categories=layout.categories,
            row_exposure=of_rows,
            column_exposure=of_columns,
            scale=layout.scale,
        )
    )


def _single(span: Span) -> bool:
    return span.pixels == span.length <= _NAMED
