"""Draws on disk: an object each while a run is under way, one file of all of them when it is done.

Both are .npz archives of plain arrays, so that ``numpy.load`` reads them without this package. An object
``draws/<chain>/<iteration>.npz`` holds one draw; ``draws.npz`` holds

- ``<position>/<array>`` for the arrays of each draw: ``row_labels`` and ``column_labels`` in the smallest unsigned
  type, and the statistics of its blocks in the working frame: ``count``, ``mean`` and ``scatter`` of real numbers,
  ``sums`` of other cells. The first part's have these names; those of the second one are ``part1/count`` and so on,
  with its ``part1/beta``;
- one array of length S for each of :class:`~disnplbm.posterior.draws.DrawNumbers`;
- ``meta``: the bytes of a JSON record of :class:`~disnplbm.posterior.draws.DrawsMeta`.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from disnplbm.cell_types import DENSE, cell_type_of
from disnplbm.errors import RunError, first_line
from disnplbm.families import statistics_of
from disnplbm.families.numbers import NumberFamily, number_family, number_record
from disnplbm.files import whole_file
from disnplbm.notes import Hint
from disnplbm.parts import prefixes_of, slices_of
from disnplbm.posterior.archive import DAMAGE, add_array, array_shape, check, packed_bytes, read_array
from disnplbm.posterior.draws import (
    Axis,
    Draw,
    DrawNumbers,
    Draws,
    DrawsMeta,
    PartMeta,
    SmallLabels,
    label_type,
    numbers_of,
)

_FORMAT = 1
_PREFIX = "draws"
_KEY = re.compile(r"draws/(\d+)/(\d+)\.npz")

#: The numbers of one draw that stand beside its arrays in an object of its own.
_SCALARS = ("chain", "iteration", "log_joint", "alpha", "beta")

#: Reads an array of an archive by its name, shape and type, and the shape of one.
ReadArray = Callable[[str, tuple[int, ...], Any], NDArray[Any]]
ReadShape = Callable[[str], tuple[int, ...]]


class Store(Protocol):
    """What is needed of an object store."""

    url: str

    def put(self, key: str, data: bytes) -> None:
        """Write one object, whole or not at all."""

    def get(self, key: str) -> memoryview:
        """Read one object."""

    def list(self, prefix: str) -> list[str]:
        """All keys under a prefix."""


class PutDraw(NamedTuple):
    """A draw that was kept: its object's key, and the sha256 of its bytes."""

    key: str
    seal: str


def put_draw(store: Store, draw: Draw) -> PutDraw:
    """Keep one draw of a run under way as an object of its own; putting it again replaces it.

    Raises
    ------
    RunError
        The store is full or cannot be reached.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, value in zip(_SCALARS, _scalars(draw), strict=True):
            add_array(archive, name, np.array(value))
        for name, array in _arrays(draw):
            add_array(archive, name, array)
    key = f"{_PREFIX}/{draw.chain}/{draw.iteration}.npz"
    store.put(key, out.getvalue())
    return PutDraw(key, hashlib.sha256(out.getvalue()).hexdigest())


def pack_draws(store: Store, path: Path, meta: DrawsMeta, seals: Mapping[str, str | None] | None = None) -> Draws:
    """Write the draws in a store into one file, in the order of chains and iterations, one in memory at a time.

    Parameters
    ----------
    store : Store
    path : Path
    meta : DrawsMeta
    seals : mapping, optional
        Keys of the draws that were kept, and the sha256 of each where it is known; by default all that are there.

    Returns
    -------
    Draws
        Of the file, as :func:`open_draws` gives them.

    Raises
    ------
    RunError
        An object is damaged or of another run, or the file cannot be written; nothing of it is left behind.
    """

    def loaded() -> Iterator[Draw]:
        for chain, iteration in _ordered(store.list(_PREFIX) if seals is None else seals):
            key = f"{_PREFIX}/{chain}/{iteration}.npz"
            draw = _object(store, key, meta, None if seals is None else seals[key])
            if (draw.chain, draw.iteration) != (chain, iteration):
                raise RunError(f"object {key} in {store.url} is of another draw: delete it and run again")
            yield draw

    write_draws(loaded(), path, meta)
    return open_draws(path)


def write_draws(draws: Iterable[Draw], path: Path, meta: DrawsMeta) -> None:
    """Write draws into one file, looking at each once; the file appears whole or not at all."""
    with whole_file(path, "wb") as file, zipfile.ZipFile(file, "w", allowZip64=True) as archive:

        def passed() -> Iterator[Draw]:
            for position, draw in enumerate(draws):
                for name, array in _arrays(draw):
                    add_array(archive, f"{position}/{name}", array)
                yield draw

        numbers = numbers_of(passed())
        for field in fields(numbers):
            add_array(archive, field.name, getattr(numbers, field.name))
        add_array(archive, "meta", np.frombuffer(json.dumps(record_of(meta)).encode(), dtype=np.uint8))


def open_draws(path: Path) -> Draws:
    """Draws of a file, loaded when asked for; only their numbers are read now.

    Raises
    ------
    RunError
        The file is missing or damaged; when a draw that is damaged is asked for, then.
    """
    return _File(path).draws()


def draws_bytes(
    n_rows: int,
    n_columns: int,
    n_draws: int,
    *,
    n_row_clusters: int,
    n_column_clusters: int,
    dimension: int = 1,
    diagonal: bool = False,
) -> int:
    """The most bytes that a file of draws takes besides the columns' names, and so do their objects together.

    Parameters
    ----------
    n_rows, n_columns, n_draws : int
    n_row_clusters, n_column_clusters : int
        The most clusters that a draw has.
    dimension : int
    diagonal : bool
        Whether only the diagonals of scatters are kept.
    """
    blocks = n_row_clusters * n_column_clusters * 8
    draw = [
        n_rows * label_type(n_row_clusters).itemsize,
        n_columns * label_type(n_column_clusters).itemsize,
        *(blocks * dimension**axes for axes in (0, 1, 1 if diagonal else 2)),
        *[8] * len(_SCALARS),
    ]
    meta = 8192 + 64 * (dimension if diagonal else dimension**2)
    return n_draws * (packed_bytes(draw) + 8 * len(fields(DrawNumbers))) + meta


class _File:
    """Draws of an archive that stays open; a pickled one opens its file again."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with self._reading():
            self._archive = zipfile.ZipFile(path)
            self._bytes = path.stat().st_size
            record = json.loads(self._array("meta", None, np.uint8).tobytes())
            if record["format"] != _FORMAT:
                raise RunError(f"{path} is of another version of this package; open it with the one that wrote it")
            self._meta = meta_of(record)
            chain = self._array("chain", None, np.int64)
            kinds = {"log_joint": np.float64, "alpha": np.float64, "beta": np.float64}
            self._numbers = DrawNumbers(
                *(self._array(f.name, chain.shape, kinds.get(f.name, np.int64)) for f in fields(DrawNumbers))
            )
            check(len(chain.shape) == 1)
            for clusters, most in (("row_clusters", self._meta.n_rows), ("column_clusters", self._meta.n_columns)):
                values = getattr(self._numbers, clusters)
                check(bool(((values >= 1) & (values <= most)).all()))

    def __reduce__(self) -> tuple[type[_File], tuple[Path]]:
        return (_File, (self._path,))

    def draws(self) -> Draws:
        return Draws(self._meta, self._numbers, self)

    def draw(self, position: int) -> Draw:
        numbers = self._numbers
        with self._reading():
            return _assembled(
                lambda name, shape, kind: self._array(f"{position}/{name}", shape, kind),
                lambda name: array_shape(self._archive, f"{position}/{name}"),
                {name: getattr(numbers, name)[position].item() for name in _SCALARS},
                (int(numbers.row_clusters[position]), int(numbers.column_clusters[position])),
                self._meta,
            )

    def labels(self, position: int, axis: Axis) -> SmallLabels:
        numbers, meta = self._numbers, self._meta
        with self._reading():
            if axis == "rows":
                size, clusters = meta.n_rows, int(numbers.row_clusters[position])
            else:
                size, clusters = meta.n_columns, int(numbers.column_clusters[position])
            name = f"{position}/{'row' if axis == 'rows' else 'column'}_labels"
            labels = self._array(name, (size,), label_type(clusters))
            _check_labels(labels, clusters)
            return labels

    def _array(self, name: str, shape: tuple[int, ...] | None, kind: Any) -> NDArray[Any]:
        return read_array(self._archive, self._bytes, name, shape, kind)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError as error:
            raise RunError(f"there are no draws at {self._path}; fit again with ", Hint("draws")) from error
        except RunError:
            raise
        except DAMAGE as error:
            raise RunError(f"the draws in {self._path} are damaged ({first_line(error)}); fit again") from error


def _object(store: Store, key: str, meta: DrawsMeta, seal: str | None) -> Draw:
    """One draw of a run under way."""
    data = store.get(key)
    if seal is not None and hashlib.sha256(data).hexdigest() != seal:
        raise RunError(
            f"object {key} in {store.url} is damaged: it is not what was written there; submit the run again"
        )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:

            def array(name: str, shape: tuple[int, ...] | None, kind: Any) -> NDArray[Any]:
                return read_array(archive, len(data), name, shape, kind)

            scalars = {
                name: array(name, (), np.int64 if name in ("chain", "iteration") else np.float64).item()
                for name in _SCALARS
            }

            def shape_of(name: str) -> tuple[int, ...]:
                return array_shape(archive, name)

            shapes = _shapes(shape_of, meta)
            return _assembled(array, shape_of, scalars, (shapes[0][0], sum(shape[1] for shape in shapes)), meta)
    except DAMAGE as error:
        reason = first_line(error)
        raise RunError(f"object {key} in {store.url} is damaged ({reason}): delete it and run again") from error


def _assembled(
    array: ReadArray, shape_of: ReadShape, scalars: dict[str, Any], clusters: tuple[int, int], meta: DrawsMeta
) -> Draw:
    """A draw from its arrays, which must fit the meta and each other."""
    check(1 <= clusters[0] <= meta.n_rows and 1 <= clusters[1] <= meta.n_columns)
    rows = array("row_labels", (meta.n_rows,), label_type(clusters[0]))
    columns = array("column_labels", (meta.n_columns,), label_type(clusters[1]))
    _check_labels(rows, clusters[0])
    _check_labels(columns, clusters[1])
    shapes = _shapes(shape_of, meta)
    check(all(shape[0] == clusters[0] for shape in shapes) and sum(shape[1] for shape in shapes) == clusters[1])
    blocks = read_parts(array, meta, shapes)
    of_parts = zip(slices_of(meta.lengths), slices_of([shape[1] for shape in shapes]), strict=True)
    check(all(bool(((columns[here] >= own.start) & (columns[here] < own.stop)).all()) for here, own in of_parts))
    more = [float(array(f"{prefix}beta", (), np.float64)) for prefix in prefixes_of(meta.parts)[1:]]
    betas = (scalars.pop("beta"), *more)
    labels = rows.astype(np.int32), columns.astype(np.int32)
    return Draw(**scalars, betas=betas, row_labels=labels[0], column_labels=labels[1], parts=blocks)


def _shapes(shape_of: ReadShape, meta: DrawsMeta) -> list[tuple[int, int]]:
    """Clusters of rows and of columns that the blocks of each part are of."""
    found = []
    for part, prefix in zip(meta.parts, prefixes_of(meta.parts), strict=True):
        row_clusters, column_clusters, *_ = shape_of(f"{prefix}{part.family.empty((1, 1)).names[0]}")
        found.append((row_clusters, column_clusters))
    return found


def read_parts(array: ReadArray, meta: DrawsMeta, shapes: Sequence[tuple[int, int]]) -> tuple[Any, ...]:
    """Statistics of the blocks of each part from the arrays of an archive, by the names that their family gives them.

    Parameters
    ----------
    shapes : sequence of (int, int)
        Clusters of rows and of columns, of each part.
    """
    found = []
    for part, prefix, shape in zip(meta.parts, prefixes_of(meta.parts), shapes, strict=True):
        one = part.family.empty((1, 1))
        named = zip(one.names, one.arrays, strict=True)
        arrays = [array(f"{prefix}{name}", (*shape, *like.shape[2:]), np.float64) for name, like in named]
        found.append(statistics_of(arrays))
    return tuple(found)


def arrays_of(parts: Sequence[Any]) -> Iterator[tuple[str, NDArray[Any]]]:
    """Name and array of all statistics of the blocks of each part: what :func:`read_parts` reads."""
    for blocks, prefix in zip(parts, prefixes_of(parts), strict=True):
        yield from ((f"{prefix}{name}", array) for name, array in zip(blocks.names, blocks.arrays, strict=True))


def _scalars(draw: Draw) -> tuple[float, ...]:
    """Numbers of a draw by the names of :data:`_SCALARS`."""
    return draw.chain, draw.iteration, draw.log_joint, draw.alpha, draw.betas[0]


def _arrays(draw: Draw) -> Iterator[tuple[str, NDArray[Any]]]:
    row_clusters, column_clusters = draw.n_clusters
    yield "row_labels", draw.row_labels.astype(label_type(row_clusters))
    yield "column_labels", draw.column_labels.astype(label_type(column_clusters))
    yield from arrays_of(draw.parts)
    for prefix, beta in list(zip(prefixes_of(draw.betas), draw.betas, strict=True))[1:]:
        yield f"{prefix}beta", np.array(beta)


def _ordered(keys: Iterable[str]) -> list[tuple[int, int]]:
    """Chain and iteration of every draw that keys name, ascending."""
    found = (_KEY.fullmatch(key) for key in keys)
    return sorted((int(match[1]), int(match[2])) for match in found if match)


def _check_labels(labels: SmallLabels, n_clusters: int) -> None:
    """Labels index tables, and clusters are divided by their sizes: all of 0..n_clusters - 1 occur, and no others."""
    check(len(labels) > 0 and bool((np.bincount(labels, minlength=n_clusters) > 0).all()))
    check(int(labels.max()) < n_clusters)


def record_of(meta: DrawsMeta) -> dict[str, Any]:
    """What draws have in common, as plain values: the first part's where there was one part alone before."""
    first, *others = meta.parts
    more = [_record_of_part(part) | {"n_columns": part.n_columns} for part in others]
    return {
        "format": _FORMAT,
        "n_rows": meta.n_rows,
        "n_columns": meta.n_columns,
        **_record_of_part(first),
        "power": meta.power,
        "transform": meta.transform,
        "column_names": meta.column_names,
        "row_limit": meta.row_limit,
        "column_limit": meta.column_limit,
        **({"more_parts": more} if more else {}),
    }


def _record_of_part(part: PartMeta) -> dict[str, Any]:
    if part.cells == DENSE:
        return number_record(cast(NumberFamily, part.family))
    return {"cells": part.cells, "facts": part.facts}


def meta_of(record: dict[str, Any]) -> DrawsMeta:
    """What :func:`record_of` was given; one of the errors of a damaged archive if it is something else."""
    names, more = record["column_names"], record.get("more_parts", [])
    of_first = record["n_columns"] - sum(part["n_columns"] for part in more)
    return DrawsMeta(
        record["n_rows"],
        tuple(_part_of(part, record["power"]) for part in [record | {"n_columns": of_first}, *more]),
        record["transform"],
        None if names is None else tuple(names),
        record["row_limit"],
        record["column_limit"],
    )


def _part_of(record: dict[str, Any], power: float) -> PartMeta:
    # Files of earlier versions know real numbers only.
    cells, facts = record.get("cells", DENSE), record.get("facts", {})
    family = number_family(record, power) if cells == DENSE else cell_type_of(cells).family(facts, power)
    return PartMeta(record["n_columns"], family, cells, facts)
