"""The page of a calibration: fit against number of blocks, with the elbow ringed."""

from __future__ import annotations

from typing import Any

from disnplbm.model.statistics import Floats
from disnplbm.posterior.elbow import STANDARD_ERRORS, Elbow
from disnplbm.report.page import filled


def calibration_document(
    name: str,
    powers: Floats,
    fit: Floats,
    fit_error: Floats,
    row_clusters: Floats,
    column_clusters: Floats,
    elbow: Elbow,
    ends: str,
) -> dict[str, Any]:
    """What the page shows, of values that JSON has.

    Parameters
    ----------
    name : str
        Of the data.
    powers, fit, fit_error, row_clusters, column_clusters : ndarray of shape (m,)
        As for :func:`disnplbm.posterior.elbow.choose_power`.
    ends : str
        Where chains of the two ends part.
    """
    names = ("power", "fit", "error", "row_clusters", "column_clusters")
    figures = (each.tolist() for each in (powers, fit, fit_error, row_clusters, column_clusters))
    return {
        "kind": "calibration",
        "name": name,
        "chosen": elbow.index,
        "sentence": elbow.sentence,
        "ends": ends,
        "standard_errors": STANDARD_ERRORS,
        "powers": [dict(zip(names, values, strict=True)) for values in zip(*figures, strict=True)],
    }


def render_calibration(document: dict[str, Any]) -> str:
    """The page as text; RunError if it is not built."""
    power = f"{document['powers'][document['chosen']]['power']:g}"
    title = f"{document['name']}: power {power}"
    return filled(document, title, [document["name"], f"likelihood power {power}", document["sentence"]])
