"""The datasets of a table's parts, and what they say of the table as a whole."""

from __future__ import annotations

from dataclasses import dataclass

from disnplbm.data.dataset import Dataset


@dataclass(frozen=True, slots=True)
class DatasetOfParts:
    """The datasets of all parts of a table; their columns are in the order of the parts.

    Parameters
    ----------
    parts : tuple of Dataset
    """

    parts: tuple[Dataset, ...]

    @property
    def n(self) -> int:
        """Rows."""
        return self.parts[0].n

    @property
    def p(self) -> int:
        """Columns of all parts."""
        return sum(part.p for part in self.parts)

    @property
    def row_names(self) -> list[str]:
        """Names of the rows."""
        return self.parts[0].row_names

    @property
    def column_names(self) -> list[str]:
        """Names of the columns, those of the first part first."""
        return [name for part in self.parts for name in part.column_names]

    @property
    def classes(self) -> list[str] | None:
        """Known class of each row, of the first part that has them."""
        return next((part.classes for part in self.parts if part.has_classes), None)
