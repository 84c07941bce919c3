"""Parquet files, a batch of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from disnplbm.data.arrow import check_numeric_columns, index_note, is_text, numbers, saved_index, strings
from disnplbm.data.cells import check_finite, unify_missing
from disnplbm.data.named import CLASS_OPTION, ID_OPTION, find_column, text_column
from disnplbm.data.reading import NO_COLUMN, Reading
from disnplbm.data.source import READ_BYTES, Chunk
from disnplbm.errors import InputError, first_line


class ParquetSource:
    """A .parquet file whose columns are integers, floats, decimals or booleans; null and NaN are missing.

    The index that a DataFrame was saved with is not data. It names the rows, unless another column is to name them.
    """

    def __init__(self, path: Path, reading: Reading) -> None:
        reading.refuse_all_but(("id_column", "class_column"), f"{path}: a .parquet file has no lines of text")
        id_column = None if reading.id_column == NO_COLUMN else reading.id_column
        self.name = str(path)
        self.dimension = 1
        self.notes: list[str] = []
        self.bytes_total = path.stat().st_size
        self._path = path
        try:
            with pq.ParquetFile(path) as file:
                schema = file.schema_arrow
                self.rows = file.metadata.num_rows
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"{path} is not a readable parquet file: {first_line(error)}") from error
        names = list(schema.names)
        self._id = find_column(names, id_column, ID_OPTION, self.name)
        self._class = find_column(names, reading.class_column, CLASS_OPTION, self.name)
        index = [j for j in saved_index(schema) if j not in (self._id, self._class)]
        self._ids = index if reading.id_column is None else [j for j in (self._id,) if j is not None]
        if index:
            self.notes.append(index_note(schema, index, names_rows=self._ids == index))
        self._data = [j for j in range(len(names)) if j not in (self._id, self._class, *index)]
        if not self._data or self.rows == 0:
            raise InputError(f"{path} has {self.rows} rows and {len(self._data)} data columns: it needs one of each")
        for j in self._data:
            if is_text(schema.field(j)):
                raise InputError(text_column(f"{path}: column {names[j]}", names[j]))
        check_numeric_columns(schema, self._data, self.name)
        self.column_names = [names[j] for j in self._data]

    def chunks(self) -> Iterator[Chunk]:
        """Read the file from its first row, a batch at a time."""
        step = max(1, READ_BYTES // (8 * len(self._data)))
        start = 0
        try:
            # Without pre-buffering: it would hold whole row groups.
            with pq.ParquetFile(self._path, pre_buffer=False, buffer_size=2**16) as file:
                for batch in file.iter_batches(batch_size=step, use_threads=False):
                    values = np.empty((batch.num_rows, len(self._data), 1))
                    for k, j in enumerate(self._data):
                        values[:, k, 0] = numbers(batch.column(j))
                    check_finite(values, start, self.name, self.column_names)
                    start += batch.num_rows
                    yield Chunk(
                        unify_missing(values),
                        strings([batch.column(j) for j in self._ids]) if self._ids else None,
                        None if self._class is None else strings([batch.column(self._class)]),
                        self.bytes_total * start // self.rows,
                    )
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"{self.name} is damaged: {first_line(error)}; copy or write it again") from error
