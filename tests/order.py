"""The order of the files: the slow ones first, and a folder's files spread over those of the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, zip_longest
from pathlib import Path

TESTS = Path(__file__).resolve().parent

#: Its files are short: they fill the time at the end, while the last slow file goes on.
SHORT = "unit"


def ordered(files: Sequence[Path]) -> list[Path]:
    """Files of each folder in turn, those of ``unit`` last.

    Pages keep a core busy, and faults mostly wait: side by side they take less time than one folder after another.

    Parameters
    ----------
    files : sequence of Path
        Test files below :data:`TESTS`, in any order.
    """
    folders: defaultdict[str, list[Path]] = defaultdict(list)
    for file in sorted(files):
        folders[file.relative_to(TESTS).parts[0]].append(file)
    short = folders.pop(SHORT, [])
    # The folder with the fewest files has the longest ones.
    slow = zip_longest(*sorted(folders.values(), key=len))
    return [file for file in (*chain.from_iterable(slow), *short) if file is not None]
