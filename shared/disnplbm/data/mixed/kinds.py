"""Which kind of cells a column of a table holds, and what is refused as none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from disnplbm.cell_types import DENSE
from disnplbm.data.cell_choice import BINARY, CATEGORICAL, COUNTS, MANY_ZEROS
from disnplbm.data.cells import some_names
from disnplbm.data.column_look import ColumnLook
from disnplbm.data.named import NoSuchColumn
from disnplbm.data.reading import Reading
from disnplbm.data.refusal import is_mark
from disnplbm.data.wordy import REPEATED
from disnplbm.errors import InputError, OptionsNeeded
from disnplbm.families.category_names import MOST_CATEGORIES
from disnplbm.notes import Hint, Note, joined

#: What a column may be taken as: the types of cells that need nothing beside the table.
KINDS = (DENSE, COUNTS, BINARY, CATEGORICAL)


def parse_columns_as(given: Iterable[str], names: Sequence[str], source: str) -> dict[str, str]:
    """What ``--columns-as NAME=KIND`` says, by the names of columns.

    Raises
    ------
    InputError
        There is no such column, or no such kind.
    """
    found = dict[str, str]()
    for text in given:
        name, equals, kind = text.rpartition("=")
        if not equals or kind not in KINDS:
            raise InputError(Hint("columns_as", (text,)), f" must be NAME=KIND, and KIND one of {', '.join(KINDS)}")
        if name not in names:
            shown = some_names(names, len(names))
            raise NoSuchColumn(
                name, f"{source} has no column {name!r} for ", Hint("columns_as"), f": there are {shown}"
            )
        if found.setdefault(name, kind) != kind:
            raise InputError(f"column {name!r} is given to ", Hint("columns_as"), " twice; leave one out")
    return found


def sort_columns(
    looks: Sequence[ColumnLook], asked: Mapping[str, str], source: str, reading: Reading | None
) -> list[str]:
    """The kind of each column.

    Words are categories, and two values yes and no. Whole numbers from 0 of which half are 0 are counts. All else are
    real numbers.

    Parameters
    ----------
    asked : mapping
        Kinds that somebody asks for, by the names of columns.
    source : str
        What to call the table.
    reading : Reading, optional
        How the table is read, if it is a file.

    Raises
    ------
    InputError
        A column holds free text, words among numbers, or nothing that tells rows apart: all such columns are named,
        with the options that read the table without them.
    """
    kinds, odd, marks = list[str](), dict[str, str](), list[str]()
    for look in looks:
        kind = asked.get(look.name)
        if kind is None and look.numbers and look.words and all(is_mark(word) for word in _words(look)):
            marks += [word for word in _words(look) if word not in marks]
        elif (fault := _fault(look, kind)) is not None:
            odd[look.name] = fault
        kinds.append(kind or _kind(look))
    if odd or marks:
        raise _refusal(odd, marks, source, reading)
    return kinds


def _kind(look: ColumnLook) -> str:
    """What a column holds."""
    if look.typed is not None:
        return look.typed
    if look.words:
        return BINARY if len(look.texts) == 2 else CATEGORICAL
    if len(look.values) == 2 and look.filled >= REPEATED * 2:
        return BINARY
    many = look.whole and 0 < look.zeros < look.numbers and look.zeros >= MANY_ZEROS * look.numbers
    return COUNTS if many else DENSE


def _fault(look: ColumnLook, asked: str | None) -> str | None:
    """Why a column can be taken as nothing, or not as what is asked for."""
    if look.filled == 0:
        return "has no values"
    if asked in (DENSE, COUNTS) or (asked is None and look.numbers > look.words > 0):
        return f"holds {look.first_word!r}, which is no number" if look.words else None
    if asked == BINARY:
        values = len(look.texts) if look.words else len(look.values)
        return None if values == 2 else "does not hold two values"
    if asked is None and (look.typed or not look.words) and look.typed != CATEGORICAL:
        return None
    if look.many_texts:
        return f"has more than {MOST_CATEGORIES} different values, too many for categories"
    if len(look.categories) == 1:
        return f"holds {next(iter(look.texts))!r} alone"
    if asked is None and look.typed is None and look.filled < REPEATED * len(look.texts):
        return f"holds free text: {len(look.texts):,} different values in {look.filled:,} cells"
    return None


def _words(look: ColumnLook) -> list[str]:
    return [text for text in look.texts if look.parse is None or look.parse(text) is None]


def _refusal(odd: Mapping[str, str], marks: Sequence[str], source: str, reading: Reading | None) -> InputError:
    """The error that names all columns at fault, and the options that read the table without them."""
    said = [f"column {name} {fault}" for name, fault in odd.items()]
    shown = [some_names(said, len(said))] if said else []
    if marks:
        shown.append(f"{some_names(map(repr, marks), len(marks))} can be read as missing")
    problem = joined("; ", [f"{source}: {shown[0]}", *shown[1:]])
    if reading is None:
        remedy = f"leave it out: {source}.drop(columns={list(odd)})" if odd else "replace it by NaN"
        return InputError(problem, f"; {remedy}")
    dropped, missing = (*reading.drop_columns, *odd), (*reading.missing, *marks)
    return OptionsNeeded(Note(problem), reading.but(drop_columns=dropped, missing=missing))
