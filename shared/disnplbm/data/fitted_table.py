"""What is known of a table that was fitted, beside its cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from disnplbm.data.dataset import Dataset
from disnplbm.data.prepared import Prepared
from disnplbm.data.shards import Manifest


@dataclass(frozen=True, slots=True, eq=False)
class FittedTable:
    """A table as a run describes it.

    Parameters
    ----------
    prepared : Prepared
        Its shape, its type of cells, and how it was transformed and cut.
    n_shards : int
        Parts that it was cut into.
    sha256 : str
        Digest of its cells.
    row_names, column_names : sequence of str
        No row names where the table has none.
    words : sequence of str
        The different words of a table of words.
    reading, written : dict
        How its file was read, and how numbers are written there, as :class:`disnplbm.data.dataset.Dataset` has them;
        empty for a table that comes from no file.
    """

    prepared: Prepared
    n_shards: int
    sha256: str
    row_names: Sequence[str] | None
    column_names: Sequence[str]
    words: Sequence[str] = ()
    reading: dict[str, Any] = field(default_factory=dict)
    written: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, dataset: Dataset, manifest: Manifest) -> Self:
        """Describe an ingested table that was cut into shards."""
        return cls(
            manifest,
            manifest.n_shards,
            manifest.dataset_sha256,
            dataset.row_names if dataset.has_row_names else None,
            dataset.column_names,
            dataset.words,
            dataset.reading,
            dataset.written,
        )

    @property
    def row_ids(self) -> Iterable[str]:
        """The names of the rows, or their numbers from 0."""
        return map(str, range(self.prepared.n)) if self.row_names is None else self.row_names
