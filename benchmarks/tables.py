"""What the benchmarks write: markdown tables, with the bar beside each figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """One measured figure.

    Parameters
    ----------
    what : str
    measured : str
        With its unit.
    bar : str
        What it is held to; empty if nothing.
    met : bool or None
        None where there is no bar, or nothing could be measured.
    """

    what: str
    measured: str
    bar: str = ""
    met: bool | None = None

    def cells(self) -> tuple[str, str, str, str]:
        """The figure as a row."""
        return self.what, self.measured, self.bar, {True: "yes", False: "**no**", None: ""}[self.met]


def figure_table(figures: Iterable[Figure]) -> str:
    """Table of figures and bars."""
    return table(("what", "measured", "bar", "met"), [figure.cells() for figure in figures])


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A markdown table."""
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def seconds(value: float) -> str:
    """A time with three significant digits in a readable unit."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if value * factor >= 1.0:
            return f"{value * factor:.3g} {unit}" if value * factor < 1000 else f"{value * factor:.0f} {unit}"
    return f"{value * 1e9:.3g} ns"
