"""Parquet files, a batch of rows at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from disnplbm.data.cells import check_finite, unify_missing
from disnplbm.data.named import CLASS_OPTION, ID_OPTION, find_column, text_column
from disnplbm.data.reading import NO_COLUMN, Reading
from disnplbm.data.source import READ_BYTES, Chunk
from disnplbm.errors import InputError, first_line


class ParquetSource:
    """A .parquet file whose columns are integers, floats, decimals or booleans; null and NaN are missing.

    The index that a DataFrame was saved with becomes the row names.
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
        if self._id is None:
            self._id = _saved_index(schema)
        self._data = [j for j in range(len(names)) if j not in (self._id, self._class)]
        if not self._data or self.rows == 0:
            raise InputError(f"{path} has {self.rows} rows and {len(self._data)} data columns: it needs one of each")
        for j in self._data:
            kind = schema.field(j).type
            if pa.types.is_dictionary(kind):
                kind = kind.value_type
            if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
                raise InputError(text_column(f"{path}: column {names[j]}", names[j]))
            if not (
                pa.types.is_integer(kind)
                or pa.types.is_floating(kind)
                or pa.types.is_boolean(kind)
                or pa.types.is_decimal(kind)
                or pa.types.is_null(kind)
            ):
                raise InputError(f"{path}: column {names[j]} is of type {kind}, not numeric; convert or drop it")
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
                        values[:, k, 0] = _numbers(batch.column(j))
                    check_finite(values, start, self.name, self.column_names)
                    start += batch.num_rows
                    yield Chunk(
                        unify_missing(values),
                        _strings(batch, self._id),
                        _strings(batch, self._class),
                        self.bytes_total * start // self.rows,
                    )
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"{self.name} is damaged: {first_line(error)}; copy or write it again") from error


def _numbers(column: pa.Array) -> Any:
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if column.type != pa.float64():
        # An integer above 2**53 loses its last digits, as in any other format.
        column = column.cast(pa.uint8() if pa.types.is_boolean(column.type) else pa.float64(), safe=False)
    return column.to_numpy(zero_copy_only=False)


def _strings(batch: pa.RecordBatch, position: int | None) -> list[str] | None:
    if position is None:
        return None
    column = batch.column(position)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return ["" if value is None else str(value) for value in column.to_pylist()]


def _saved_index(schema: pa.Schema) -> int | None:
    """Position of the one index column that pandas noted in the file, if any."""
    metadata = (schema.metadata or {}).get(b"pandas")
    if metadata is None:
        return None
    columns = [name for name in json.loads(metadata).get("index_columns", []) if isinstance(name, str)]
    return schema.names.index(columns[0]) if len(columns) == 1 and columns[0] in schema.names else None
