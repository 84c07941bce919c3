"""The report of a run folder: its document in the page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from disnplbm.files import whole_file
from disnplbm.notes import from_plain, plural
from disnplbm.report.document import document_of_parts, run_document
from disnplbm.report.folder import read_parts_of_run
from disnplbm.report.page import filled

SCORES = {"ari": "ARI", "nmi": "NMI", "column_ari": "column ARI", "column_nmi": "column NMI", "block_ari": "block ARI"}


def render_report(folder: Path) -> Path:
    """Write `report.html` into a run folder, from nothing but the folder's own files.

    Parameters
    ----------
    folder : Path
        Output folder of a finished run.

    Returns
    -------
    Path
        The page: self-contained, it makes no request.

    Raises
    ------
    InputError
        A file of the run is missing or does not fit the others.
    RunError
        The page is not built, or cannot be written.
    """
    folders = read_parts_of_run(folder)
    first = run_document(folders[0])
    page = filled(document_of_parts(folders), run_title(first["run"]), run_summary(first))
    path = folder / "report.html"
    with whole_file(path) as file:
        file.write(page)
    return path


def run_title(run: Mapping[str, Any]) -> str:
    """Title of the window of a run's report."""
    return f"{run['name']}: {run['row_clusters']} × {run['column_clusters']} clusters"


def run_summary(document: Mapping[str, Any]) -> list[str]:
    """The headline figures of a run, line by line."""
    run, certainty = document["run"], document["certainty"]
    scores = ", ".join(
        f"{name} {run['scores'][key]:.3f}" for key, name in SCORES.items() if run["scores"].get(key) is not None
    )
    return [
        str(run["name"]),
        f"{plural(run['rows'], 'row')} × {plural(run['columns'], 'column')} → "
        f"{plural(run['row_clusters'], 'row cluster')} × {plural(run['column_clusters'], 'column cluster')}",
        str(from_plain(document["estimate"])),
        f"Log joint {run['log_joint']:,.1f}, {plural(run['iterations'], 'iteration')}"
        + (f"; against the known classes: {scores}" if scores else ""),
        *(["The chains have not settled."] if certainty and certainty["doubtful"] else []),
        *(f"Note: {from_plain(note)}" for note in run["notes"]),
        f"Digest of labels and trace: {run['digest']}",
    ]
