"""From a dataset to shards in an object store: transformed and cut, with a manifest that says what is where."""

from __future__ import annotations

import hashlib
import json
import mmap
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray

from disnplbm.cell_types import DENSE, MIXED
from disnplbm.data.ahead import Beside
from disnplbm.data.cell_choice import Chosen, choose_cells, choose_for_words
from disnplbm.data.covariates import RESPONSES, check_for_responses
from disnplbm.data.dataset import FLOAT64, Dataset, Progress
from disnplbm.data.factors import check_for_counts
from disnplbm.data.memory import GIB
from disnplbm.data.prepared import Prepared, prepare_cells, to_tuples
from disnplbm.data.responses import deal_responses, refuse_sparse
from disnplbm.data.sharding import Sharding, choose_sharding
from disnplbm.data.sparse_numbers import deal_numbers, is_kept_sparse
from disnplbm.data.transform import NONE, Transform, check_transform, fit_transform
from disnplbm.data.typed import Dealt, deal_cells
from disnplbm.errors import InputError, RunError
from disnplbm.families.cell_type import Arrays, Exposure, Factors, pack_arrays, unpack_arrays
from disnplbm.families.responses.covariates import Covariates
from disnplbm.notes import Hint, from_plain, to_plain
from disnplbm.objects.arrays import array_bytes, npy_header, parse_header
from disnplbm.objects.seals import get_checked, seal_of
from disnplbm.objects.store import PIECE_BYTES, ObjectStore

#: A shard as it is kept: all cells, or arrays with those alone that are not zero.
Loaded = NDArray[np.float64] | Arrays


@dataclass(frozen=True)
class ShardObject:
    """One shard object: its key, how many items it holds, its size in bytes, its digest."""

    key: str
    items: int
    bytes: int
    sha256: str


@dataclass(frozen=True, kw_only=True)
class Manifest(Prepared):
    """What `prepare` wrote; the transform's parameters are an object of their own: `load_transform`.

    Attributes
    ----------
    shards : tuple of ShardObject
    dataset : str
        Prefix of the dataset, for `load_dataset`; the names are there.
    dataset_sha256 : str
    warnings : tuple of str
        From reading the dataset, and from preparing it.
    prefix : str
    dataset_seal, transform_seal : str or None
        Of ``dataset.json`` and ``transform.json``; None for shards from before there were seals.
    kind : str
        Type of the numbers in the objects of dense shards, as NumPy spells it: the one that the table's file has, where
        nothing transforms them.
    seal : str
        Of ``{prefix}/manifest.json``.
    """

    shards: tuple[ShardObject, ...]
    dataset: str
    dataset_sha256: str
    warnings: tuple[str, ...]
    prefix: str
    dataset_seal: str | None = None
    transform_seal: str | None = None
    kind: str = FLOAT64
    seal: str = field(default="", compare=False)

    @property
    def parts(self) -> tuple[Manifest, ...]:
        """Of the table: this alone (:class:`disnplbm.data.mixed.manifest.ManifestOfParts` has several)."""
        return (self,)

    @property
    def n_shards(self) -> int:
        """Number of shards, E."""
        return len(self.shards)

    def memory_bytes(self, index: int) -> int:
        """What a shard takes in memory."""
        shard = self.shards[index]
        return 8 * shard.items * self.n_others * self.dimension if self.is_dense else shard.bytes

    def to_json(self) -> str:
        """What `{prefix}/manifest.json` holds."""
        record = asdict(self) | {"warnings": [to_plain(warning) for warning in self.warnings]}
        del record["seal"]
        return json.dumps(record, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Manifest:
        """Read what `to_json` wrote."""
        record: dict[str, Any] = json.loads(text)
        record["shards"] = tuple(ShardObject(**shard) for shard in record["shards"])
        record["mean"] = tuple(record["mean"])
        record["covariance"] = to_tuples(record["covariance"])
        record["warnings"] = tuple(map(from_plain, record["warnings"]))
        return cls(**record)


def prepare(
    dataset: Dataset,
    store: ObjectStore,
    prefix: str,
    *,
    n_shards: int | Literal["auto"] = "auto",
    axis: Literal["auto", "rows", "columns"] = "auto",
    transform: str = "none",
    cells: str = DENSE,
    exposure: Exposure = "margins",
    covariates: Covariates | None = None,
    most_bytes: int | None = None,
    progress: Progress | None = None,
) -> Manifest:
    """Transform a dataset and write it as shards.

    Writes `{prefix}/shards/NNNNN.npy`, `{prefix}/transform.json` and, last, `{prefix}/manifest.json`. Of real numbers
    it holds a few chunks at a time, never a shard. Of other cells, and of real numbers that are mostly zero
    (:mod:`disnplbm.data.sparse_numbers`), it holds those that are stored, and the objects are
    `{prefix}/shards/NNNNN.npz`.

    Parameters
    ----------
    store : ObjectStore
        Where the shards go; the dataset's own or another.
    n_shards : int or "auto"
        More shards than items are clamped, with a warning in the manifest.
    axis : {"auto", "rows", "columns"}
        "auto" takes what :func:`~disnplbm.data.sharding.cut_axis` says.
    transform : str
        One name or several, as :func:`disnplbm.data.transform.check_transform` takes them.
    cells : str
        A type of cells, or "auto", which looks at them; with a transform they are real numbers then.
    exposure : {"margins", "none"} or Factors
        Of counts.
    covariates : Covariates, optional
        Of responses.
    most_bytes : int, optional
        The dense cells of a sparse table may not take more.
    progress : callable, optional
        Called with bytes of cells done and in all; fitting Box-Cox counts as a pass of its own.

    Raises
    ------
    InputError
        An option is wrong, a value outside of the transform's domain, or a sparse table too large as a dense one.
    RunError
        The store is full or cannot be read or written.
    """
    name = check_transform(transform)
    if cells == MIXED:
        raise InputError(
            "tables of several kinds of columns are taken by `disnplbm fit` alone so far: choose other ", Hint("cells")
        )
    chosen = Chosen(cells)
    if dataset.words:
        chosen = choose_for_words(cells, dataset.words)
    elif cells == "auto":
        plain = name == "none" and dataset.dimension == 1
        chosen = choose_cells(dataset.csr_chunks()) if plain else Chosen(DENSE)
    if isinstance(exposure, Factors):
        check_for_counts(chosen.cells)
    if covariates is not None:
        check_for_responses(chosen.cells)
    if chosen.cells == RESPONSES:
        return _prepare_responses(dataset, store, prefix, name, covariates, n_shards, axis, progress)
    if chosen.cells != DENSE:
        return _prepare_typed(dataset, store, prefix, chosen, name, exposure, n_shards, axis, progress)
    if is_kept_sparse(dataset.shape, stored := dataset.count_stored(), name):
        return _prepare_sparse(dataset, store, prefix, name, n_shards, axis, progress)
    if dataset.sparse and most_bytes is not None:
        to_blame = name if is_kept_sparse(dataset.shape, stored, NONE) else NONE
        _check_room(8 * dataset.n * dataset.p, most_bytes, to_blame)
    sharding = choose_sharding(dataset, n_shards=n_shards, axis=axis)
    work = dataset.n * dataset.p * dataset.dimension * 8
    fitting = work if "boxcox" in name.split(",") else 0

    def report(done: int) -> None:
        if progress is not None:
            progress(done, fitting + work)

    fitted, fit_notes = fit_transform(dataset, name, lambda done, total: report(fitting * done // total))
    kind = FLOAT64 if fitted.steps else dataset.kind
    with (
        _ShardWriters(dataset, store, prefix, sharding, kind, lambda done: report(fitting + done)) as writers,
        Beside() as beside,
    ):
        keep = partial(beside.call, writers.put)
        prepared, notes = prepare_cells(dataset, dataset.checked_arrays(), sharding, fitted, keep)
    notes = [*fit_notes, *sharding.notes, *notes]
    return _finish(dataset, store, prefix, prepared, fitted, writers.objects(), tuple(notes), kind)


def _check_room(needed: int, most_bytes: int, transform: str) -> None:
    """Refuse a sparse table that is too large as a dense one.

    Parameters
    ----------
    transform : str
        The one to blame for it, or "none".
    """
    if needed <= most_bytes:
        return
    takes = f"the table takes {needed / GIB:.2g} GiB with its zeros, and there is room for {most_bytes / GIB:.2g} GiB"
    if transform == NONE:
        raise InputError(
            f"as real numbers {takes}: leave out columns, or take its cells as counts, which cost no zeros: ",
            Hint("cells", "counts"),
        )
    raise InputError(
        f"after {transform} its zeros are no zeros any more: {takes}; leave out columns, or use a transform that keeps"
        " zeros: ",
        Hint("transform", "log1p"),
        " or ",
        Hint("transform", NONE),
    )


def _prepare_sparse(
    dataset: Dataset,
    store: ObjectStore,
    prefix: str,
    transform: str,
    n_shards: int | str,
    axis: str,
    progress: Progress | None,
) -> Manifest:
    """Write the shards of real numbers without their zeros."""
    chunks = dataset.checked_csr_chunks
    dealt, fitted, notes = deal_numbers(dataset, chunks, transform=transform, n_shards=n_shards, axis=axis)
    objects = _put_arrays(store, prefix, dealt, progress)
    return _finish(dataset, store, prefix, dealt.prepared, fitted, objects, (*dealt.sharding.notes, *notes))


def _prepare_typed(
    dataset: Dataset,
    store: ObjectStore,
    prefix: str,
    chosen: Chosen,
    transform: str,
    exposure: Exposure,
    n_shards: int | str,
    axis: str,
    progress: Progress | None,
) -> Manifest:
    """Write the shards of cells that are no real numbers."""
    names = dataset.column_names
    dealt = deal_cells(
        dataset,
        dataset.checked_csr_chunks,
        names,
        cells=chosen.cells,
        words=dataset.words,
        exposure=exposure,
        transform=transform,
        n_shards=n_shards,
        axis=axis,
    )
    objects = _put_arrays(store, prefix, dealt, progress)
    fitted, _ = fit_transform(dataset, transform)
    notes = (*chosen.notes, *dealt.sharding.notes)
    return _finish(dataset, store, prefix, dealt.prepared, fitted, objects, notes)


def _prepare_responses(
    dataset: Dataset,
    store: ObjectStore,
    prefix: str,
    transform: str,
    covariates: Covariates | None,
    n_shards: int | str,
    axis: str,
    progress: Progress | None,
) -> Manifest:
    """Write the shards of responses: the seen cells alone."""
    refuse_sparse(sparse=dataset.sparse, name="the table")
    dealt = deal_responses(
        dataset,
        dataset.checked_arrays,
        covariates=covariates,
        number_names=dataset.number_names,
        transform=transform,
        n_shards=n_shards,
        axis=axis,
    )
    objects = _put_arrays(store, prefix, dealt, progress)
    fitted, _ = fit_transform(dataset, transform)
    return _finish(dataset, store, prefix, dealt.prepared, fitted, objects, dealt.sharding.notes)


def _put_arrays(store: ObjectStore, prefix: str, dealt: Dealt, progress: Progress | None) -> tuple[ShardObject, ...]:
    """Write shards that hold arrays, and let each go."""
    objects, number = list[ShardObject](), len(dealt.shards)
    for index in range(number):
        body, key = pack_arrays(dealt.shards[index]), f"{prefix}/shards/{index:05d}.npz"
        dealt.shards[index] = {}
        store.put(key, body)
        objects.append(ShardObject(key, dealt.sharding.size(index), len(body), seal_of(body)))
        if progress is not None:
            progress(index + 1, number)
    return tuple(objects)


def _finish(
    dataset: Dataset,
    store: ObjectStore,
    prefix: str,
    prepared: Prepared,
    fitted: Transform,
    shards: tuple[ShardObject, ...],
    notes: tuple[str, ...],
    kind: str = FLOAT64,
) -> Manifest:
    """Write down what was prepared, the manifest last."""
    of_transform = fitted.to_json().encode()
    manifest = Manifest(
        **vars(prepared),
        shards=shards,
        dataset=dataset.prefix,
        dataset_sha256=dataset.sha256,
        warnings=(*dataset.warnings, *notes),
        prefix=prefix,
        dataset_seal=dataset.seal,
        transform_seal=seal_of(of_transform),
        kind=kind,
    )
    store.put(f"{prefix}/transform.json", of_transform)
    body = manifest.to_json().encode()
    store.put(f"{prefix}/manifest.json", body)
    return replace(manifest, seal=seal_of(body))


def load_manifest(store: ObjectStore, prefix: str, seal: str | None = None) -> Manifest:
    """Find prepared shards again; RunError if there are none under this prefix, or their manifest's seal is another."""
    key = f"{prefix}/manifest.json"
    body = bytes(get_checked(store, key, seal))
    try:
        return replace(Manifest.from_json(body.decode()), seal=seal_of(body))
    except (ValueError, KeyError, TypeError) as error:
        raise RunError(f"object {key} in {store.url} is damaged: delete the run's data and run again") from error


def load_transform(store: ObjectStore, manifest: Manifest) -> Transform:
    """The fitted transform that the shards went through."""
    key = f"{manifest.prefix}/transform.json"
    return Transform.from_json(bytes(get_checked(store, key, manifest.transform_seal)).decode())


def load_shard(
    store: ObjectStore, manifest: Manifest, index: int, watch: Callable[[memoryview], None] | None = None
) -> Loaded:
    """Read one shard and check its digest.

    Parameters
    ----------
    watch : callable, optional
        Called with each piece of the object, before anything is known of its digest.

    Returns
    -------
    ndarray, shape (items_e, others, d), float64, or dict of ndarray
        All cells, C-contiguous and writable; a missing cell is NaN. Needs the memory of the shard and a few
        megabytes. Of cells that are kept without zeros, their arrays, which need the memory of the shard twice.

    Raises
    ------
    RunError
        The object is missing or is not what `prepare` wrote.
    """
    shard = manifest.shards[index]
    if not manifest.is_dense:
        return _load_arrays(store, shard, index, watch)
    stored, kind = _stored_shape(manifest, index), np.dtype(manifest.kind)
    out = np.empty((shard.items, manifest.n_others, manifest.dimension))
    damaged = _damaged(store, shard, index)
    if store.size(shard.key) != shard.bytes:
        raise damaged
    digest = hashlib.sha256()
    filled = 0
    held = b""
    for number, part in enumerate(store.parts(shard.key)):
        digest.update(part)
        if watch is not None:
            watch(part)
        body: memoryview = part
        if number == 0:
            body = part[_check_header(part, shard.key, stored, kind, damaged) :]
        if held:
            body = memoryview(held + bytes(body))
        if manifest.axis == "rows":
            whole = len(body) // kind.itemsize
            out.reshape(-1)[filled : filled + whole] = np.frombuffer(body, kind, whole)
            filled, used = filled + whole, whole * kind.itemsize
        else:
            # Stored in the order it streamed in, others first: put whole stretches of the others in their place.
            row_numbers = shard.items * manifest.dimension
            whole = len(body) // (row_numbers * kind.itemsize)
            rows = np.frombuffer(body, kind, whole * row_numbers).reshape(whole, *stored[1:])
            out[:, filled : filled + whole] = rows.transpose(1, 0, 2)
            filled, used = filled + whole, whole * row_numbers * kind.itemsize
        held = bytes(body[used:])
    if digest.hexdigest() != shard.sha256:
        raise damaged
    return out


def map_shard(store: ObjectStore, manifest: Manifest, index: int) -> tuple[NDArray[Any], Callable[[], None]]:
    """Map a dense shard from its file after checking its digest: its cells are read as they are used.

    Returns
    -------
    ndarray, shape (items_e, others, d)
        In the type of ``manifest.kind``, to be read alone; a view that need not be contiguous.
    forget : callable
        Lets go of the memory that holds what was read; the system reads it again where it is used again.

    Raises
    ------
    RunError
        The store is no folder, or the object is missing or is not what `prepare` wrote.
    """
    shard, damaged = manifest.shards[index], _damaged(store, manifest.shards[index], index)
    view = store.view(shard.key)
    if view is None or len(view) != shard.bytes or len(view) == 0:
        raise damaged
    mapped = cast(mmap.mmap, view.obj)

    def forget() -> None:
        # Where the system knows no such advice it lets go by itself when memory is short.
        if hasattr(mmap, "MADV_DONTNEED"):
            mapped.madvise(mmap.MADV_DONTNEED)

    digest = hashlib.sha256()
    for start in range(0, len(view), PIECE_BYTES):
        digest.update(view[start : start + PIECE_BYTES])
        forget()
    if digest.hexdigest() != shard.sha256:
        raise damaged
    stored, kind = _stored_shape(manifest, index), np.dtype(manifest.kind)
    start = _check_header(view[:PIECE_BYTES], shard.key, stored, kind, damaged)
    values = np.frombuffer(view, kind, offset=start).reshape(stored)
    return values if manifest.axis == "rows" else values.transpose(1, 0, 2), forget


def _stored_shape(manifest: Manifest, index: int) -> tuple[int, int, int]:
    """Shape of the array in the object of a dense shard: in the order in which the table streams."""
    items, others = manifest.shards[index].items, manifest.n_others
    return (items, others, manifest.dimension) if manifest.axis == "rows" else (others, items, manifest.dimension)


def _check_header(head: memoryview, key: str, shape: tuple[int, ...], kind: np.dtype[Any], damaged: RunError) -> int:
    """Where the numbers of a dense shard begin; an error if its header promises another array."""
    found, dtype, start = parse_header(head, key)
    if found != shape or dtype != kind:
        raise damaged
    return start


def _load_arrays(
    store: ObjectStore, shard: ShardObject, index: int, watch: Callable[[memoryview], None] | None
) -> Arrays:
    if store.size(shard.key) != shard.bytes:
        raise _damaged(store, shard, index)
    body = bytearray()
    for part in store.parts(shard.key):
        if watch is not None:
            watch(part)
        body += part
    if seal_of(memoryview(body)) != shard.sha256:
        raise _damaged(store, shard, index)
    return unpack_arrays(memoryview(body))


def _damaged(store: ObjectStore, shard: ShardObject, index: int) -> RunError:
    return RunError(f"shard {index} ({shard.key} in {store.url}) is damaged: delete the run's data and run again")


class _ShardWriters:
    """The objects of all shards, written side by side."""

    def __init__(
        self,
        dataset: Dataset,
        store: ObjectStore,
        prefix: str,
        sharding: Sharding,
        kind: str,
        progress: Callable[[int], None],
    ) -> None:
        self._kind = np.dtype(kind)
        self._store, self._sharding, self._progress, self._dimension = store, sharding, progress, dataset.dimension
        self._keys = [f"{prefix}/shards/{e:05d}.npy" for e in range(sharding.n_shards)]
        self._digests = [hashlib.sha256() for _ in self._keys]
        self._lengths = [0] * sharding.n_shards
        self._stack, self._done = ExitStack(), 0

    def __enter__(self) -> Self:
        with self._stack as stack:
            self._writers = [stack.enter_context(self._store.writer(key)) for key in self._keys]
            self._stack = stack.pop_all()
        for e in range(self._sharding.n_shards):
            lengths = self._sharding.size(e), self._sharding.n_others
            ordered = lengths if self._sharding.axis == "rows" else lengths[::-1]
            self._write(e, npy_header((*ordered, self._dimension), self._kind))
        return self

    def __exit__(self, *exception: Any) -> None:
        self._stack.__exit__(*exception)

    def put(self, first: int, values: NDArray[np.float64]) -> None:
        """Write each shard's part of the rows from the first one on."""
        for e in range(self._sharding.n_shards):
            part = self._sharding.part(values, e, first)
            if part.size:
                self._write(e, array_bytes(part.astype(self._kind, copy=False)))
        self._done += values.nbytes
        self._progress(self._done)

    def objects(self) -> tuple[ShardObject, ...]:
        """What was written."""
        return tuple(
            ShardObject(key, self._sharding.size(e), self._lengths[e], self._digests[e].hexdigest())
            for e, key in enumerate(self._keys)
        )

    def _write(self, e: int, data: bytes | memoryview) -> None:
        self._digests[e].update(data)
        self._lengths[e] += len(data)
        self._writers[e].write(data)
