"""Known classes of the rows and of the columns, as the page carries them."""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

import numpy as np

from disnplbm.report.folder import Labels, RunFolder
from disnplbm.report.matrix import MAX_NAMES
from disnplbm.report.pixels import base64_text

MOST = 254
"""Classes that have a number of a byte; with more of them there is no colour for each."""

UNKNOWN = 255
"""In place of a number: the class is not known."""


def shown_classes(folder: RunFolder, axis: Literal["rows", "columns"]) -> dict[str, Any] | None:
    """Names of the classes, the largest first, and the number of each item's, in the order of the reordered picture.

    Returns
    -------
    dict or None
        ``names``, and ``of`` in base64, a byte each. None where no class is known, or they are too many to carry.
    """
    labels: Labels = getattr(folder, axis)
    order = getattr(folder.heatmap.reordered, axis).order
    if labels.classes is None or len(order) > MAX_NAMES:
        return None
    words = labels.classes.to_pylist()
    counted = Counter(word for word in words if word)
    names = [word for word, _ in sorted(counted.items(), key=lambda each: (-each[1], each[0]))]
    if not 0 < len(names) <= MOST:
        return None
    number = {name: place for place, name in enumerate(names)}
    of = np.array([number.get(word, UNKNOWN) for word in words], dtype=np.uint8)
    return {"names": names, "of": base64_text(of[order])}
