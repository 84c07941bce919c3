"""Columns as Arrow has them, in a parquet file or in memory: which are numbers, and which are an index."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from disnplbm.data.cell_choice import BINARY, CATEGORICAL
from disnplbm.data.column_look import ColumnLook
from disnplbm.data.marks import truth
from disnplbm.data.numerals import PLAIN
from disnplbm.data.words_in_memory import word_of
from disnplbm.errors import InputError


def other_columns(schema: pa.Schema, positions: Sequence[int]) -> list[tuple[str, str]]:
    """Name and type of those columns that are not integers, floats, decimals or booleans."""
    # Asked for once: Arrow makes the list anew each time.
    names = schema.names
    kinds = [(names[j], _value_type(schema.field(j).type)) for j in positions]
    return [
        (name, str(kind))
        for name, kind in kinds
        if not (
            pa.types.is_integer(kind)
            or pa.types.is_floating(kind)
            or pa.types.is_boolean(kind)
            or pa.types.is_decimal(kind)
            or pa.types.is_null(kind)
        )
    ]


def check_flat_columns(schema: pa.Schema, positions: Sequence[int], name: str) -> None:
    """Raise InputError if one of these columns holds lists or the like, which name no row and no class."""
    for j in positions:
        if pa.types.is_nested(_value_type(schema.field(j).type)):
            raise InputError(
                f"{name}: column {schema.names[j]} is of type {schema.field(j).type}, which is no name; choose another"
            )


def is_wordy(field: pa.Field) -> bool:
    """Whether the cells of a column may be of any length."""
    kind = _value_type(field.type)
    return not (pa.types.is_primitive(kind) or pa.types.is_null(kind) or pa.types.is_decimal(kind))


def length_of_words(column: pa.Array) -> int:
    """Bytes of all cells of a column of words, or a few more for each cell.

    The words of a dictionary, or of views, may take far more than the column itself.
    """
    if pa.types.is_dictionary(column.type):
        lengths = pc.binary_length(_without_views(column.dictionary)).take(column.indices)
    elif _has_views(column):
        lengths = pc.binary_length(_without_views(column))
    else:
        return int(column.nbytes)
    return int(pc.sum(lengths).as_py() or 0)


def _without_views(column: pa.Array) -> pa.Array:
    """Arrow measures no views of strings."""
    return column.cast(pa.large_binary()) if _has_views(column) else column


def _has_views(column: pa.Array) -> bool:
    return bool(pa.types.is_string_view(column.type) or pa.types.is_binary_view(column.type))


def is_text(field: pa.Field) -> bool:
    """Whether a column holds words."""
    kind = _value_type(field.type)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def look_at(field: pa.Field) -> ColumnLook:
    """A look at a column, before any cell is read: how its cells are read, and what its type says."""
    if pa.types.is_dictionary(field.type):
        return ColumnLook(field.name, PLAIN.parse, CATEGORICAL)
    if pa.types.is_boolean(field.type):
        return ColumnLook(field.name, truth, BINARY)
    return ColumnLook(field.name, None if is_text(field) else PLAIN.parse)


def _value_type(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def numbers(column: Any) -> NDArray[np.float64]:
    """Numbers of a column, each rounded once; null is NaN."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_decimal(column.type):
        # Arrow's own conversion divides by a power of ten and is off by one unit in the last place at times.
        column = column.cast(pa.string())
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.uint8())
    if column.type != pa.float64():
        # An integer above 2**53 loses its last digits, as in any other format.
        column = column.cast(pa.float64(), safe=False)
    found = column.to_numpy() if isinstance(column, pa.ChunkedArray) else column.to_numpy(zero_copy_only=False)
    return np.asarray(found, dtype=np.float64)


def strings(columns: Sequence[Any]) -> list[str]:
    """Names made of the cells of one or more columns, with commas between them; null is blank."""
    cells = [["" if value is None else str(value) for value in column.to_pylist()] for column in columns]
    return [", ".join(row) for row in zip(*cells, strict=True)]


def words(column: Any) -> list[str]:
    """Cells of a column as a text file would have them; null is blank."""
    return [word_of(cell) for cell in column.to_pylist()]


def saved_index(schema: pa.Schema) -> list[int]:
    """Positions of the columns that pandas noted as the index of the DataFrame, a column for each level."""
    metadata = (schema.metadata or {}).get(b"pandas")
    if metadata is None:
        return []
    try:
        noted = json.loads(metadata)["index_columns"]
        # An index of counted rows is noted as a range, and has no column.
        names = [name for name in noted if isinstance(name, str)]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    return [schema.names.index(name) for name in dict.fromkeys(names) if name in schema.names]


def has_name(column: str) -> bool:
    """Whether a column has a name: pandas saves an index without one as "__index_level_0__"."""
    return bool(column.strip()) and not column.startswith("__index_level_")


def index_note(schema: pa.Schema, index: Sequence[int], *, names_rows: bool) -> str:
    """What was done with a saved index."""
    levels = ", ".join(schema.names[j] if has_name(schema.names[j]) else "unnamed" for j in index)
    taken = "taken as row names, not as data" if names_rows else "left out: it is not data"
    return f"the index that pandas saved ({levels}) is {taken}"
