"""Datasets."""

from __future__ import annotations

import base64
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, StringConstraints

from disnplbm.data import reading
from disnplbm.data.formats import kind_of
from disnplbm.data.preview import COLUMNS, MOST_BYTES, NAMES, ROWS
from disnplbm.data.reading import HELP, Absent, Decimal, Header, TableLayout, Thousands, Words
from disnplbm.errors import InputError
from disnplbm.runs.partial import UPLOAD_PART_BYTES, UploadRecord
from disnplbm.runs.records import DatasetRecord
from disnplbm_dashboard.schemas.common import (
    Cell,
    Count,
    Given,
    Noted,
    PageQuery,
    Plain,
    Sha256,
    Title,
    counted,
    noted,
)

#: Letters of the base64 of as much as is looked at.
LONGEST_BEGINNING = 4 * -(-MOST_BYTES // 3)

#: Letters of the base64 of a file of factors: with its names it must go into the body of a run.
LONGEST_FACTORS = UPLOAD_PART_BYTES


class Reading(Given):
    """How a file is read."""

    id_column: Cell | None = Field(None, description=HELP["id_column"])
    class_column: Cell | None = Field(None, description=HELP["class_column"])
    header: Header = Field("auto", description=HELP["header"])
    delimiter: Plain = Field("auto", description=HELP["delimiter"])
    decimal: Decimal = Field("auto", description=HELP["decimal"])
    thousands: Thousands = Field("none", description=HELP["thousands"])
    missing: Annotated[list[Cell], *counted(50)] = Field([], description=HELP["missing"])
    drop_columns: Annotated[list[Cell], *counted(500)] = Field([], description=HELP["drop_columns"])
    transpose: bool = Field(False, description=HELP["transpose"])
    layout: TableLayout = Field("auto", description=HELP["layout"])
    absent: Absent = Field("missing", description=HELP["absent"])
    cell_covariates: bool = Field(False, description=HELP["cell_covariates"])
    layer: Cell | None = Field(None, description=HELP["layer"])
    words: Words = Field("auto", description=HELP["words"])

    def stored(self) -> dict[str, Any]:
        """What the database keeps of it; InputError if an option is not allowed."""
        return reading.Reading.from_dict({name: getattr(self, name) for name in Reading.model_fields}).to_dict()


def check_name(name: str) -> None:
    """Raise InputError if the name of a file does not say what kind it is, or has a folder in it."""
    kind_of(Path(name))
    if "/" in name or "\\" in name:
        raise InputError("the name of a file has no / or \\ in it: leave out its folder")


def _from_base64(text: str, field: str, what: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError as error:
        raise InputError(f"{field} is not in base64 ({error}): send {what} in base64") from error


class NewName(Given):
    """What a dataset is to be called."""

    name: Title = Field(description="Its new name, with the ending of the file.")


class NewDataset(Reading):
    """A file that is going to be uploaded."""

    name: Title = Field(description="Its name; the ending says what kind of file it is.")
    bytes: Annotated[int, Field(ge=1, le=2**53, description="Its length.")]
    sha256: Sha256 | None = Field(
        None, description="Of the whole file. A file that is here already, under this name, is not sent again."
    )


class FileBeginning(Reading):
    """The first bytes of a text file that is not uploaded yet."""

    name: Title = Field(description="Its name; the ending says what kind of file it is.")
    head: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_BEGINNING)] = Field(
        description="Its first bytes, in base64.", json_schema_extra={"contentEncoding": "base64"}
    )
    whole: bool = Field(False, description="Whether that is the whole file.")

    def beginning(self) -> bytes:
        """The first bytes; InputError if they are not in base64."""
        return _from_base64(self.head, "head", "the first bytes of the file")


class FactorsFile(Given):
    """A file with a factor for each row, or for each column."""

    name: Title = Field(description="Its name; the ending says what kind of file it is.")
    content: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_FACTORS)] = Field(
        description="The file, in base64.", json_schema_extra={"contentEncoding": "base64"}
    )

    def file(self) -> bytes:
        """The file; InputError if it is not in base64."""
        return _from_base64(self.content, "content", "the file")


class FactorsAnswer(BaseModel):
    """Factors as a new run takes them."""

    ids: list[str] | None = Field(description="Names of the rows (columns); null: they are in the order of the table.")
    labels: list[float] = Field(description="The factors, all above 0.")


class PreviewAnswer(BaseModel):
    """The first lines of a text file, and how they are read."""

    delimiter: str = Field(description="comma, semicolon, tab, space, pipe or one sign; blank if it is not known.")
    decimal: str = Field(description="Decimal mark; blank if it is not known.")
    header: bool | None = Field(description="Whether the first line names the columns; null if it is not known.")
    id_column: str | None = Field(description="Column that holds the names of the rows.")
    class_column: str | None = Field(description="Column that holds their known classes.")
    class_like: list[str] = Field(description="Columns that look like known classes and are taken as data.")
    columns: int = Field(description="Cells of a row; 0 if that is not known.")
    names: list[str] = Field(description=f"Of the first {NAMES} columns.")
    rows: list[list[str]] = Field(description=f"The first {COLUMNS} cells of the first {ROWS} rows.")
    notes: list[str] = Field(description="What was assumed.")
    noted: list[Noted] = Field(description="The same, with the options that they name.")
    problem: str | None = Field(description="Why the lines cannot be read like this.")
    fault: Noted | None = Field(description="The same, with the options that it names.")
    proposed: dict[str, Any] | None = Field(description="How they can be read, where the server knows.")
    next_bytes: int = Field(description="Send so many of the first bytes to know it for certain; 0 if it is certain.")


class Completion(Given):
    """All parts are sent."""

    sha256: Sha256 | None = Field(None, description="Of the whole file.")


class Parts(BaseModel):
    """Parts of an upload."""

    part_bytes: int = Field(description="Length of every part but the last.")
    parts: int = Field(description="How many there are in all; their numbers begin with 0.")
    present: list[int] = Field(description="Numbers of those that are there.")


class DatasetAnswer(BaseModel):
    """A dataset."""

    id: str = Field(description="Of the dataset; runs name it.")
    name: str = Field(description="Of the file.")
    state: Literal["UPLOADING", "UPLOADED", "READY", "FAILED"] = Field(
        description="READY once it was read, which the first run on it does."
    )
    bytes: int = Field(description="Length of the file.")
    sha256: str | None = Field(description="Of the file.")
    reading: dict[str, Any] = Field(
        description="How the file is read: the fields that are not as they are by default, among others."
    )
    rows: int | None = Field(description="Of the table; null until it was read.")
    columns: int | None = Field(description="Of the table; null until it was read.")
    dimension: int | None = Field(description="Numbers in a cell; null until the table was read.")
    missing: int | None = Field(description="Cells without a value; null until the table was read.")
    error: str | None = Field(description="Why it cannot be read.")
    fault: Noted | None = Field(None, description="The error, with the options that it names.")
    created_at: datetime = Field(description="When its upload was completed, or begun.")
    part_bytes: int = Field(UPLOAD_PART_BYTES, description="Length of every part of its upload but the last.")
    parts: int = Field(description="How many parts its upload has.")

    @classmethod
    def of(cls, record: DatasetRecord | UploadRecord) -> DatasetAnswer:
        """The answer for a record."""
        if isinstance(record, UploadRecord):
            return cls(
                id=record.id,
                name=record.name,
                state="UPLOADING",
                bytes=record.bytes,
                sha256=record.sha256,
                reading=record.reading,
                rows=None,
                columns=None,
                dimension=None,
                missing=None,
                error=None,
                created_at=record.created_at,
                parts=record.parts,
            )
        return cls(
            id=record.id,
            name=record.name,
            state=record.state,
            bytes=record.upload_bytes,
            sha256=record.upload_sha256,
            reading=record.reading,
            rows=record.n,
            columns=record.p,
            dimension=record.dimension,
            missing=record.missing,
            error=record.error,
            fault=noted(record.error),
            created_at=record.created_at,
            parts=-(-record.upload_bytes // UPLOAD_PART_BYTES),
        )


class Datasets(BaseModel):
    """A page of datasets, the newest first."""

    items: list[DatasetAnswer] = Field(description="The datasets of this page.")
    next: str | None = Field(description="Cursor of the next page; null at the end.")


class DatasetsQuery(PageQuery):
    """Which datasets."""

    search: Plain = Field("", description="A part of the name, or the beginning of the id.")


class NamedCount(BaseModel):
    """Rows or columns of a kind: how many, and the first few names."""

    count: int = Field(description="How many there are.")
    names: list[str] = Field(description="The first few of them.")


class TransformAdvice(BaseModel):
    """The transform that is recommended for a table, why, and by which numbers."""

    transform: str = Field(description="The one that is recommended.")
    reason: str = Field(description="Why.")
    decades: float | None = Field(
        description="Powers of ten between the 5 % and the 95 % quantile, if none is negative."
    )
    skewness: float | None = Field(description="Of values of alike rows in a column, the median over columns.")
    skewness_after_log: float | None = Field(description="Of a typical column, after the logarithm.")
    narrowest: float | None = Field(description="Range of the narrowest column that varies.")
    widest: float | None = Field(description="The column that spans most.")
    counts: bool = Field(description="Whether the cells are whole numbers from 0, as counts are.")


class TimeForecast(BaseModel):
    """Seconds that a run with the recommended transform takes on one core; estimates."""

    start: float = Field(description="Before and after the chain.")
    iteration: float = Field(description="Of each iteration of a chain.")
    consensus: float = Field(description="Of what is said of 100 draws; a run without draws takes none.")
    row_clusters: int = Field(description="At which these times hold.")
    column_clusters: int = Field(description="At which these times hold.")
    uncertainty: float = Field(description="Times may be off by this factor, in either direction.")
    seconds: float = Field(description="Of 100 iterations without draws.")
    seconds_with_draws: float = Field(description="Of a burn-in of 100, then 100 iterations that are kept.")


class PreflightAnswer(BaseModel):
    """What is in a table, and what a run on it will take."""

    name: str = Field(description="Of the dataset.")
    rows: int = Field(description="Of the table.")
    columns: int = Field(description="Of the table.")
    dimension: int = Field(description="Numbers in a cell.")
    first_rows: list[str] = Field([], description="The first few names of the rows.")
    first_columns: list[str] = Field([], description="The first few names of the columns.")
    missing: int = Field(description="Cells without a value.")
    missing_share: float = Field(description="Share of the cells without a value, 0 to 1.")
    low: float | None = Field(description="The least value.")
    high: float | None = Field(description="The largest value.")
    constant_columns: NamedCount = Field(description="Columns that have one value alone.")
    empty_columns: NamedCount = Field(description="Columns without a value.")
    empty_rows: NamedCount = Field(description="Rows without a value.")
    duplicate_names: NamedCount = Field(description="Names that several columns have.")
    duplicate_columns: NamedCount = Field(description="Columns that say the same as another one.")
    memory_mb: float = Field(description="Of a run; an estimate.")
    time: TimeForecast = Field(description="How long a run takes.")
    advice: TransformAdvice = Field(description="Which transform suits the cells.")
    axis: str = Field(description="That would be sharded, into so many shards.")
    shards: int = Field(description="Shards that a run has by default.")
    cells: str = Field(description="What the cells would be taken for.")
    categories: list[str] = Field([], description="The different words, where cells are words.")
    stored: int = Field(description="Cells that are missing or not 0.")
    notes: list[str] = Field(description="What to know of the table before a run.")
    noted: list[Noted] = Field(description="The same, with the options that they name.")


class PreflightUnderWay(BaseModel):
    """The report is being made: ask again."""

    done: Count = Field(description="Bytes read.")
    total: Count = Field(description="Bytes of the file.")
