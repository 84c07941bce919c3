"""Numbers as people read them: thousands apart, a true minus sign, as many digits as a column of them needs."""

from __future__ import annotations

import math
from collections.abc import Iterable

MINUS = "\u2212"


def count(value: int) -> str:
    """`20,000`."""
    return f"{value:,}"


def fixed(value: float, decimals: int) -> str:
    """`−1,234.50`; an en dash for a value that is not finite."""
    return f"{value:,.{decimals}f}".replace("-", MINUS) if math.isfinite(value) else "–"


def significant(value: float, digits: int = 4) -> str:
    """`0.03142`, `−1.001e−146`: a single value of any magnitude."""
    if not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    exponent = math.floor(math.log10(abs(value)))
    if -4 <= exponent < 9:
        return fixed(value, max(0, digits - 1 - exponent))
    return f"{value:.{digits - 1}e}".replace("-", MINUS)


class Column:
    """One format for numbers that stand below each other, so that their decimal points align.

    All but the smallest quarter get two significant digits and the largest at least three, but never more than five.

    Parameters
    ----------
    values : iterable of float
        What will be formatted.
    """

    def __init__(self, values: Iterable[float]) -> None:
        magnitudes = sorted(abs(value) for value in values if math.isfinite(value) and value != 0)
        largest, small = (
            math.floor(math.log10(magnitudes[at])) if magnitudes else 0 for at in (-1, len(magnitudes) // 4)
        )
        decimals = min(max(2 - largest, 1 - small), 4 - largest)
        self._decimals = max(0, decimals) if -4 <= largest < 9 else None

    def format(self, value: float) -> str:
        """The value with the decimals of its column; an en dash when it is not finite."""
        if self._decimals is None and math.isfinite(value):
            return f"{value:.2e}".replace("-", MINUS)
        return fixed(value, self._decimals or 0)


def duration(seconds: float) -> str:
    """`42 ms`, `3.4 s`, `12 min 5 s`, `3 h 20 min`."""
    if seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
