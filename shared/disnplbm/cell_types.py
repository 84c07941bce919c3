"""The types of cells there are. Each is in the folder of its family; one line here registers it."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from disnplbm.families.cell_type import CellType

#: Real numbers: their shards lie in a working frame, and are dense unless most cells are zero.
DENSE = "gaussian"

#: Types of cells besides these, by the name that ``--cells`` takes: a module, and a :class:`CellType` in it.
CELL_TYPES = {
    "counts": ("disnplbm.families.counts.table", "CELL_TYPE"),
    "binary": ("disnplbm.families.categories.table", "BINARY"),
    "categorical": ("disnplbm.families.categories.table", "CATEGORIES"),
    "responses": ("disnplbm.families.responses.table", "CELL_TYPE"),
}

#: What cells are called where a table has parts of several types.
MIXED = "mixed"


def type_of_parts(types: Iterable[str]) -> str:
    """The type of the cells of all parts of a table, if it is one, else :data:`MIXED`."""
    found = set(types)
    return found.pop() if len(found) == 1 else MIXED


def cell_type_of(name: str) -> CellType:
    """The type of cells of a name; KeyError if none is registered."""
    module, attribute = CELL_TYPES[name]
    found: CellType = getattr(import_module(module), attribute)
    return found
