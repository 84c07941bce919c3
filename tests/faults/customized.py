"""Services that behave as a fault would have them: Python runs a few lines before they start."""

from __future__ import annotations

import os
from pathlib import Path

from services.cluster import Member

_DONE = "customized"


def customized(folder: Path, text: str) -> dict[str, str]:
    """Variables for a service that runs the lines of ``text`` first; they are put into a folder of their own.

    ``is_customized`` says whether it did: Python goes on where they fail.
    """
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(f"{text}\nimport sys\nprint({_DONE!r}, file=sys.stderr, flush=True)\n")
    return {"PYTHONPATH": os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])}


def is_customized(member: Member) -> bool:
    """Whether a service that was started with :func:`customized` ran its lines to their end."""
    return _DONE in member.log.read_text().splitlines()
