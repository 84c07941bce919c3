"""Tables of several parts on their way to shards: each part is read, prepared and stored as a table of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from disnplbm.cell_types import DENSE, MIXED
from disnplbm.data.cell_choice import Chosen, choose_cells, choose_for_words, words_for
from disnplbm.data.covariates import RESPONSES
from disnplbm.data.dataset import Dataset, Progress, ingest
from disnplbm.data.formats import fields_of
from disnplbm.data.mixed.columns import PartSource, SourceOfParts
from disnplbm.data.mixed.dataset import DatasetOfParts
from disnplbm.data.mixed.file import has_columns, open_parts
from disnplbm.data.mixed.manifest import ManifestOfParts, put_manifest
from disnplbm.data.mixed.rows import join_tables
from disnplbm.data.named import NoSuchColumn
from disnplbm.data.reading import Reading
from disnplbm.data.sharding import choose_sharding
from disnplbm.data.shards import prepare
from disnplbm.data.table import is_read_quickly
from disnplbm.data.transform import NONE
from disnplbm.engine.apart import open_table
from disnplbm.engine.options import Options
from disnplbm.errors import InputError
from disnplbm.notes import Hint, Note
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.request import COVARIATE_FIELDS, FACTOR_FIELDS, Request


def open_tables(paths: Sequence[Path], reading: Reading, cells: str, transform: str | None) -> SourceOfParts:
    """Open a file whose columns are of several kinds, or several files over the same rows.

    Parameters
    ----------
    reading : Reading
        How they are read. Of several files, each has those columns that it names; the classes are in the first.
    cells : str
        The type that is asked for. With :data:`~disnplbm.cell_types.MIXED` the columns of a file are looked at one by
        one.
    transform : str, optional
        Of real numbers, if somebody says.

    Raises
    ------
    InputError
        A file cannot be read, a column is in none of them, or their rows cannot be matched.
    """
    if cells == RESPONSES:
        raise InputError("responses are a table of their own: leave out ", Hint("cells", RESPONSES), ", or other files")
    if len(paths) == 1:
        return open_parts(paths[0], reading, transform)
    twice = [path for path, times in Counter(path.resolve() for path in paths).items() if times > 1]
    if twice:
        raise InputError(f"{twice[0].name} is given twice: give each file once")
    tables, lacking = list[SourceOfParts](), list[NoSuchColumn]()
    for path in paths:
        of_file = reading if path == paths[0] else reading.but(class_column=None)
        table, errors = _open_with_its_columns(path, of_file, cells, transform)
        tables.append(table)
        lacking += errors
    for error in lacking:
        if sum(error.column == other.column for other in lacking) == len(paths):
            raise error
    return join_tables(tables)


def _open_with_its_columns(
    path: Path, reading: Reading, cells: str, transform: str | None
) -> tuple[SourceOfParts, list[NoSuchColumn]]:
    """Open one of several files, without the columns that it lacks; and the errors that name these."""
    errors = list[NoSuchColumn]()
    while True:
        try:
            return _open_one(path, reading, cells, transform), errors
        except NoSuchColumn as error:
            errors.append(error)
            column = error.column
            # Without a column of names, rows have names of their own in these formats alone.
            if column == reading.class_column or (column == reading.id_column and has_columns(path)):
                raise
            reading = reading.but(
                id_column=None if reading.id_column == column else reading.id_column,
                drop_columns=tuple(name for name in reading.drop_columns if name != column),
                columns_as=tuple(text for text in reading.columns_as if text.rpartition("=")[0] != column),
            )


def _open_one(path: Path, reading: Reading, cells: str, transform: str | None) -> SourceOfParts:
    if cells == MIXED and has_columns(path):
        return replace(open_parts(path, reading, transform), name=path.name)
    allowed = (*fields_of(path), "words")
    lacks = {hint.option for hint in reading.hints() if hint.option not in allowed}
    default = Reading()
    reading = reading.but(**{option: getattr(default, option) for option in lacks}, words=words_for(cells))
    source = open_table(path, reading)
    columns = tuple(range(len(source.column_names)))
    kind = "auto" if cells == MIXED else cells
    part = PartSource(path.name, source, kind, NONE if transform is None else transform, columns, "")
    return SourceOfParts(path.name, source.column_names, (part,), [])


def check_asked(asked: Request, options: Options) -> None:
    """Refuse what a table of several parts does not take yet."""
    if asked.axis == "columns":
        raise InputError(
            "the parts of a table share its rows, so shards are cut by rows: leave out ", Hint("shard_axis", "columns")
        )
    for fields, option in ((FACTOR_FIELDS, "exposure"), (COVARIATE_FIELDS, "row_covariates")):
        if any(getattr(asked, field) is not None for field in fields):
            raise InputError("tables of several kinds of columns do not take ", Hint(option), " yet: leave it out")
    if options.join == "averaged":
        raise InputError("tables of several kinds of columns need ", Hint("join", "blockwise"))


def read_parts(
    source: SourceOfParts, store: ObjectStore, prefix: str, progress: Progress, reading: dict[str, object]
) -> DatasetOfParts:
    """Read each part of a table into a dataset of its own, under ``{prefix}/0``, ``{prefix}/1``, ...

    Raises
    ------
    InputError
        The table cannot be read.
    """
    return DatasetOfParts(
        tuple(
            ingest(
                part.source,
                store,
                f"{prefix}/{number}",
                progress,
                reading=reading,
                keep_cells=not is_read_quickly(part.source),
            )
            for number, part in enumerate(source.parts)
        )
    )


def prepare_parts(
    source: SourceOfParts,
    dataset: DatasetOfParts,
    store: ObjectStore,
    prefix: str,
    asked: Request,
    options: Options,
    *,
    most_bytes: int | None = None,
    progress: Progress | None = None,
) -> ManifestOfParts:
    """Cut each part of a table into shards of the same rows, under ``{prefix}/0``, ``{prefix}/1``, ...

    Raises
    ------
    InputError
        An option or a cell is at fault.
    """
    chosen = [_chosen(part, of_part) for part, of_part in zip(source.parts, dataset.parts, strict=True)]
    numbers = sum(
        part.count_stored() if part.sparse or each.cells != DENSE else part.n * part.p * part.dimension
        for part, each in zip(dataset.parts, chosen, strict=True)
    )
    shape = replace(dataset.parts[0], p=dataset.p)
    sharding = choose_sharding(shape, n_shards=asked.n_shards, axis="rows", numbers=numbers)
    manifests = [
        prepare(
            of_part,
            store,
            f"{prefix}/{number}",
            n_shards=sharding.n_shards,
            axis="rows",
            transform=part.transform if each.cells == DENSE else NONE,
            cells=each.cells,
            exposure=_exposure(of_part, options),
            most_bytes=most_bytes,
            progress=progress,
        )
        for number, (part, of_part, each) in enumerate(zip(source.parts, dataset.parts, chosen, strict=True))
    ]
    looked_at = (
        Note(f"{part.name}: ", note)
        for part, each in zip(source.parts, chosen, strict=True)
        if part.cells == "auto"
        for note in each.notes
    )
    notes = [*source.notes, *sharding.notes, *looked_at]
    names, columns = [part.name for part in source.parts], [part.columns for part in source.parts]
    return put_manifest(store, prefix, manifests, names, columns, notes)


def _chosen(part: PartSource, dataset: Dataset) -> Chosen:
    """The type of a part's cells: the one asked for, or what they look like."""
    if dataset.words:
        return choose_for_words(part.cells, dataset.words)
    if part.cells != "auto":
        return Chosen(part.cells)
    return choose_cells(dataset.csr_chunks()) if dataset.dimension == 1 else Chosen(DENSE)


def _exposure(dataset: Dataset, options: Options) -> str:
    """What the counts of a part are compared with: the totals of a lone column would explain all of it."""
    return "none" if dataset.p == 1 else options.exposure
