"""What is known of a table that was fitted, beside its cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from disnplbm.cell_types import DENSE
from disnplbm.data.dataset import Dataset
from disnplbm.data.mixed.manifest import AnyManifest, ManifestOfParts
from disnplbm.data.prepared import OfParts, Prepared
from disnplbm.parts import only_part


@dataclass(frozen=True, slots=True, eq=False)
class FittedTable(OfParts):
    """A table as a run describes it.

    Parameters
    ----------
    parts : tuple of Prepared
        Of each part, its shape, its type of cells, and how it was transformed and cut.
    n_shards : int
        Shards that it was cut into.
    sha256 : str
        Digest of its cells.
    row_names, column_names : sequence of str
        No row names where the table has none. The columns of the first part come first.
    words : sequence of str
        The different words of a table of words.
    reading, written : dict
        How its file was read, and how numbers are written there, as :class:`disnplbm.data.dataset.Dataset` has them;
        empty for a table that comes from no file.
    part_names : sequence of str
        What the parts are called, where there are several.
    """

    parts: tuple[Prepared, ...]
    n_shards: int
    sha256: str
    row_names: Sequence[str] | None
    column_names: Sequence[str]
    words: Sequence[str] = ()
    reading: dict[str, Any] = field(default_factory=dict)
    written: dict[str, Any] = field(default_factory=dict)
    part_names: Sequence[str] = ()

    @classmethod
    def of(cls, datasets: Sequence[Dataset], manifest: AnyManifest) -> Self:
        """Describe a table whose parts were read into datasets and cut into shards."""
        first, *others = datasets
        return cls(
            manifest.parts,
            manifest.n_shards,
            manifest.dataset_sha256,
            first.row_names if first.has_row_names else None,
            [name for dataset in datasets for name in dataset.column_names],
            () if others else first.words,
            first.reading,
            first.written,
            manifest.names if isinstance(manifest, ManifestOfParts) else (),
        )

    @property
    def prepared(self) -> Prepared:
        """What is known of a table of one part."""
        return only_part(self.parts)

    @property
    def transform(self) -> str:
        """How the parts were transformed, where they are real numbers: each way once."""
        real = [part.transform for part in self.parts if part.cells == DENSE]
        return "; ".join(dict.fromkeys(real or ["none"]))

    @property
    def missing(self) -> int:
        """Cells without a value."""
        return sum(part.missing for part in self.parts)

    @property
    def row_ids(self) -> Iterable[str]:
        """The names of the rows, or their numbers from 0."""
        return map(str, range(self.n)) if self.row_names is None else self.row_names
