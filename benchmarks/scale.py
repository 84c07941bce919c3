"""How much is measured: everything, or a small version of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """The size of a run of the benchmarks.

    Parameters
    ----------
    quick : bool
        For checking the benchmarks themselves; its figures say little.
    """

    quick: bool

    @property
    def rounds(self) -> int:
        """Turns of compared tasks."""
        return 5 if self.quick else 15

    @property
    def runs(self) -> int:
        """Runs of a whole program."""
        return 1 if self.quick else 3

    def rows(self, full: int) -> int:
        """A number of rows (or columns): a tenth in a quick run."""
        return full // 10 if self.quick else full
