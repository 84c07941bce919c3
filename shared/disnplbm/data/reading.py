"""How a file is read: the options that all readers share, described, checked and written down in this one place.

The command line, the API, the page and the records of the database all take their options, defaults and help from
:class:`Reading`. A reader gets one whole, uses what its format has, and calls :meth:`Reading.refuse_all_but` for the
rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, get_args

from disnplbm.errors import InputError
from disnplbm.notes import Hint

Header = Literal["auto"] | bool
Decimal = Literal["auto", ".", ","]
Thousands = Literal["none", ",", ".", " ", "'"]
TableLayout = Literal["auto", "table", "long"]
Absent = Literal["missing", "zero"]
Words = Literal["auto", "yes", "no"]

NO_COLUMN = "none"
"""As `id_column`: no column holds row names, whatever the first column looks like."""

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "space": " ", "pipe": "|"}
"""Words for delimiters; the sign itself is understood too."""

ASSUMED = "assumed"
"""The kind of a note on what a reader took to be so by itself, and which option says otherwise."""

HELP = {
    "id_column": 'Column of row names; "none" says that there is none. By default the tool looks for one.',
    "class_column": "Column of known row classes; it is left out of the data.",
    "header": "Whether the first line of a text file names the columns.",
    "delimiter": "Sign between two cells of a text file: comma, semicolon, tab, space, pipe, or any one character.",
    "decimal": "Decimal mark of the numbers in a text file.",
    "thousands": "Sign between groups of three digits in a text file, as in 1,234,567.",
    "missing": "Text that marks a missing cell, besides blank, NA, NaN and nan. Repeat it for more.",
    "drop_columns": "Column that is left out of the data. Repeat it for more.",
    "transpose": "Swap rows and columns, for a file with one thing (a sample, a customer) in each column.",
    "layout": "long: each line of a text or parquet file is a row name, a column name and a value.",
    "absent": "What a cell is of which a long table has no line.",
    "cell_covariates": "Whether further columns of a long table are covariates of its cells, which are responses then.",
    "layer": "Layer of an h5ad file, such as counts; X is the default, raw is its raw matrix.",
    "columns_as": "What a column is taken as in a table of several kinds: gaussian, counts, binary or categorical."
    " Repeat it for more.",
    "words": "Whether a table with words among its cells is one of categories. auto: if most cells are words.",
}
"""What each field means, for the help of the command line and the description of the API."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a file is read. Columns are named as they are in the file, before it is transposed.

    Attributes
    ----------
    id_column : str, optional
        Column of row names. None: the reader looks for one and says so in a note. "none": there is none.
    class_column : str, optional
        Column of known row classes; it is no data.
    header : {"auto", True, False}
        Whether the first line of a text file names the columns.
    delimiter : str
        "auto", or the sign between two cells of a text file: one character. "space" stands for a run of blanks.
    decimal : {"auto", ".", ","}
        Decimal mark of the numbers in a text file.
    thousands : {"none", ",", ".", " ", "'"}
        Sign between groups of three digits in a text file.
    missing : tuple of str
        Text that marks a missing cell, besides blank, NA, NaN and nan.
    drop_columns : tuple of str
        Columns that are no data.
    transpose : bool
        Whether the file has columns where the table has rows.
    layout : {"auto", "table", "long"}
        "long": each line of a text or parquet file holds a row name, a column name and a value.
    absent : {"missing", "zero"}
        What a cell is of which a long table has no line.
    cell_covariates : bool
        Whether further columns of a long table are covariates of its cells.
    layer : str, optional
        The matrix of an .h5ad file: the name of a layer, "raw", or "X".
    columns_as : tuple of str
        NAME=KIND, where the columns of a table are of several kinds (:mod:`disnplbm.data.mixed`).
    words : {"auto", "yes", "no", "only"}
        Whether a table with words among its cells is one of categories: "auto" takes it so if most cells are words,
        "yes" if one is, "only" even if none is. With "no" such a cell is refused.

    Raises
    ------
    InputError
        A value is of the wrong type or not allowed, or two of them contradict each other.
    """

    id_column: str | None = None
    class_column: str | None = None
    header: Header = "auto"
    delimiter: str = "auto"
    decimal: Decimal = "auto"
    thousands: Thousands = "none"
    missing: tuple[str, ...] = ()
    drop_columns: tuple[str, ...] = ()
    transpose: bool = False
    layout: TableLayout = "auto"
    absent: Absent = "missing"
    cell_covariates: bool = False
    layer: str | None = None
    columns_as: tuple[str, ...] = ()
    words: Words | Literal["only"] = "auto"

    def __post_init__(self) -> None:
        for name in ("missing", "drop_columns", "columns_as"):
            object.__setattr__(self, name, _texts(name, getattr(self, name)))
        for name in ("id_column", "class_column", "delimiter", "missing", "drop_columns", "layer", "columns_as"):
            _check_encoding(name, getattr(self, name))
        object.__setattr__(self, "delimiter", _delimiter(self.delimiter))
        self._check()

    def _check(self) -> None:
        for name in ("id_column", "class_column"):
            if not isinstance(getattr(self, name), str | None):
                raise InputError(Hint(name), f" must be the name of a column, not {getattr(self, name)!r}")
        if not isinstance(self.layer, str | None):
            raise InputError(Hint("layer"), f" must be the name of a layer, not {self.layer!r}")
        if not (self.header == "auto" or isinstance(self.header, bool)):
            raise InputError(Hint("header", self.header), " must be auto, yes or no")
        for name, kind in (("decimal", Decimal), ("thousands", Thousands), ("layout", TableLayout), ("absent", Absent)):
            if getattr(self, name) not in get_args(kind):
                allowed = ", ".join(map(repr, get_args(kind)))
                raise InputError(Hint(name, getattr(self, name)), f" must be one of {allowed}")
        if self.words not in (*get_args(Words), "only"):
            raise InputError(Hint("words", self.words), " must be auto, yes or no")
        for name in ("transpose", "cell_covariates"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(Hint(name), f" is on or off, not {getattr(self, name)!r}")
        if self.thousands == self.decimal:
            both = (Hint("thousands"), " and ", Hint("decimal"))
            raise InputError(*both, f" are both {self.thousands!r}; change one of them")
        for name, column in (("id_column", self.named_column), ("class_column", self.class_column)):
            if column is not None and column in self.drop_columns:
                both = (Hint(name), " and ", Hint("drop_columns"))
                raise InputError(f"column {column!r} is given to both ", *both, "; leave one out")
        if self.transpose and self.class_column is not None:
            raise InputError(
                *(Hint("class_column", self.class_column), " names a column, and ", Hint("transpose")),
                " makes rows of the columns; give the classes in a label file",
            )

    @property
    def named_column(self) -> str | None:
        """The column that `id_column` names, if it names one."""
        return None if self.id_column == NO_COLUMN else self.id_column

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Reading:
        """Read back what `to_dict` wrote, or what a client sent; options that are not there have their defaults.

        Raises
        ------
        InputError
            An option is unknown or has a value that is not allowed.
        """
        unknown = sorted(set(stored) - {each.name for each in fields(cls)})
        if unknown:
            raise InputError(f"unknown options for reading a file: {', '.join(unknown)}; leave them out")
        return cls(**stored)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON; options that have their defaults are left out, but for the three oldest ones."""
        values = asdict(self) | {"delimiter": _WORDS.get(self.delimiter, self.delimiter)}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
            if name in _ALWAYS or value != getattr(_DEFAULT, name)
        }

    def hints(self) -> list[Hint]:
        """The options that say the same; those with defaults are left out."""
        return [
            Hint(name, tuple(value) if isinstance(value, list) else value)
            for name, value in self.to_dict().items()
            if getattr(self, name) != getattr(_DEFAULT, name) and (name != "words" or value == "yes")
        ]

    def refuse_all_but(self, allowed: tuple[str, ...], what: str) -> None:
        """Raise InputError if an option is given that a format does not have.

        `transpose` is no matter of the format: `open_source` sees to it. A format without words has no use for `words`.

        Parameters
        ----------
        allowed : tuple of str
            Names of the fields that it has.
        what : str
            The file and why, such as "x.npy: a .npy file has no named columns"; the message goes on from there.
        """
        for hint in self.hints():
            if hint.option not in (*allowed, "transpose", "words"):
                raise InputError(f"{what}, so ", hint, " does not apply; leave it out")

    def but(self, **changes: Any) -> Reading:
        """The same with other values for some options."""
        return replace(self, **changes)


TEXT_ONLY = ("header", "delimiter", "decimal", "thousands", "missing")
"""Fields that only text files have."""


def _texts(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not all(isinstance(item, str) for item in value):
        raise InputError(Hint(name), f" takes texts, not {value!r}")
    return tuple(value)


def _check_encoding(name: str, value: Any) -> None:
    """Raise InputError for text that no file of ours can hold: bytes of a command line that are not UTF-8."""
    for text in value if isinstance(value, tuple) else (value,):
        if isinstance(text, str) and any("\ud800" <= letter <= "\udfff" for letter in text):
            raise InputError(Hint(name), f" is not UTF-8 text: {text!r}; type it in a terminal that uses UTF-8")


def _delimiter(value: Any) -> str:
    sign = DELIMITERS.get(value, value) if isinstance(value, str) else value
    if sign == "auto" or (isinstance(sign, str) and len(sign) == 1 and sign not in '"\r\n\0'):
        return str(sign)
    raise InputError(Hint("delimiter", value), f" must be {', '.join(DELIMITERS)} or one character other than a quote")


_ALWAYS = ("id_column", "class_column", "header")
_WORDS = {sign: word for word, sign in DELIMITERS.items()}
_DEFAULT = Reading()
