"""From a dataset to shards: transformed, cut along the longer side, with a manifest that says what is where.

Item i (a row, or a column of the transposed table) is in shard i mod E at position i div E, so that a sorted file does
not give one-sided shards.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from disnplbm.data.advice import advise
from disnplbm.data.dataset import Dataset, Progress
from disnplbm.data.moments import Moments, collinear
from disnplbm.data.sample import Sample
from disnplbm.data.shape import CellShape
from disnplbm.data.transform import Transform, check_transform, fit_transform
from disnplbm.described import check
from disnplbm.errors import InputError, RunError
from disnplbm.model.frame import variances
from disnplbm.objects.arrays import array_bytes, npy_header, parse_header
from disnplbm.objects.seals import get_checked, seal_of
from disnplbm.objects.store import ObjectStore

Axis = Literal["rows", "columns"]

ONE_SHARD_NUMBERS = 1_000_000
"""Below this many numbers a table is one shard."""

SHARD_NUMBERS = 500_000
"""Numbers in a shard aimed at."""

SHARD_ITEMS = 500
"""Items in a shard at least aimed at."""

MOST_SHARDS = 64

SMALLEST_VARIANCE = 1e-290
"""Below this a variance has lost digits, or is 0 for numbers that differ."""


@dataclass(frozen=True)
class ShardObject:
    """One shard object: its key, how many items it holds, its size in bytes, its digest."""

    key: str
    items: int
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Manifest:
    """What `prepare` wrote.

    Attributes
    ----------
    n, p, dimension : int
        Rows and columns in the user's orientation, numbers per cell.
    axis : {"rows", "columns"}
        The user's axis whose items are spread over the shards.
    transform : str
        Names, as :func:`disnplbm.data.transform.check_transform` gives them. Their parameters are an object of their
        own: `load_transform`.
    mean, covariance : tuple
        (d,) and (d, d), of all observed cells after the transform, divided by their number. Above
        :data:`disnplbm.bounds.MOST_NUMBERS_FULL` numbers a cell, the variances alone: (d,).
    observed, missing : int
        Cells with and without a value.
    shards : tuple of ShardObject
    dataset : str
        Prefix of the dataset, for `load_dataset`; the names are there.
    dataset_sha256 : str
    warnings : tuple of str
        Those of the dataset and those of preparing it.
    prefix : str
    dataset_seal, transform_seal : str or None
        Of ``dataset.json`` and ``transform.json``; None for shards from before there were seals.
    seal : str
        Of ``{prefix}/manifest.json``.
    """

    n: int
    p: int
    dimension: int
    axis: Axis
    transform: str
    mean: tuple[float, ...]
    covariance: tuple[tuple[float, ...], ...] | tuple[float, ...]
    observed: int
    missing: int
    shards: tuple[ShardObject, ...]
    dataset: str
    dataset_sha256: str
    warnings: tuple[str, ...]
    prefix: str
    dataset_seal: str | None = None
    transform_seal: str | None = None
    seal: str = field(default="", compare=False)

    @property
    def n_shards(self) -> int:
        """Number of shards, E."""
        return len(self.shards)

    @property
    def n_items(self) -> int:
        """Length of the sharded axis."""
        return self.n if self.axis == "rows" else self.p

    @property
    def n_others(self) -> int:
        """Length of the other axis."""
        return self.p if self.axis == "rows" else self.n

    def to_json(self) -> str:
        """What `{prefix}/manifest.json` holds."""
        record = asdict(self)
        del record["seal"]
        return json.dumps(record, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Manifest:
        """Read what `to_json` wrote."""
        record: dict[str, Any] = json.loads(text)
        record["shards"] = tuple(ShardObject(**shard) for shard in record["shards"])
        record["mean"] = tuple(record["mean"])
        record["covariance"] = _tuples(record["covariance"])
        record["warnings"] = tuple(record["warnings"])
        return cls(**record)


def auto_shards(n_items: int, n_other: int, dimension: int) -> int:
    """Number of shards for a table: depends on its shape only, never on the machine.

    >>> auto_shards(150, 4, 1), auto_shards(20_000, 90, 1), auto_shards(500_000, 20, 1)
    (1, 4, 20)
    """
    numbers = n_items * n_other * dimension
    if numbers < ONE_SHARD_NUMBERS:
        return 1
    return min(MOST_SHARDS, math.ceil(numbers / SHARD_NUMBERS), max(1, n_items // SHARD_ITEMS))


def layout(dataset: Dataset, *, n_shards: int | str = "auto", axis: str = "auto") -> tuple[Axis, int, list[str]]:
    """Which axis `prepare` shards, into how many shards, and what it warns of; InputError if an option is at fault."""
    if axis not in ("auto", "rows", "columns"):
        raise InputError(f"unknown shard axis {axis!r}; choose one of auto, rows, columns")
    longer: Axis = "rows" if dataset.n >= dataset.p else "columns"
    chosen: Axis = longer if axis == "auto" else "rows" if axis == "rows" else "columns"
    items, others = (dataset.n, dataset.p) if chosen == "rows" else (dataset.p, dataset.n)
    return chosen, *_count_shards(n_shards, items, others, dataset.dimension, chosen)


def prepare(
    dataset: Dataset,
    store: ObjectStore,
    prefix: str,
    *,
    n_shards: int | Literal["auto"] = "auto",
    axis: Literal["auto", "rows", "columns"] = "auto",
    transform: str = "none",
    progress: Progress | None = None,
) -> Manifest:
    """Transform a dataset and write it as shards.

    Writes `{prefix}/shards/NNNNN.npy`, `{prefix}/transform.json` and, last, `{prefix}/manifest.json`. Holds a few
    chunks at a time, never a shard.

    Parameters
    ----------
    dataset : Dataset
    store : ObjectStore
        Where the shards go; the dataset's own or another.
    prefix : str
    n_shards : int or "auto"
        More shards than items are clamped, with a warning in the manifest.
    axis : {"auto", "rows", "columns"}
        "auto" takes the longer side, and rows in a tie.
    transform : str
        One name or several, as :func:`disnplbm.data.transform.check_transform` takes them.
    progress : callable, optional
        Called with bytes of cells done and in all; fitting Box-Cox counts as a pass of its own.

    Raises
    ------
    InputError
        An option is at fault, or a value outside of the transform's domain.
    RunError
        The store is full or cannot be read or written.
    """
    name = check_transform(transform)
    chosen, count, warnings = layout(dataset, n_shards=n_shards, axis=axis)
    work = dataset.n * dataset.p * dataset.dimension * 8
    fitting = work if "boxcox" in name.split(",") else 0

    def fit_progress(done: int, total: int) -> None:
        if progress is not None:
            progress(fitting * done // total, fitting + work)

    def write_progress(done: int) -> None:
        if progress is not None:
            progress(fitting + done, fitting + work)

    fitted, transform_warnings = fit_transform(dataset, name, fit_progress)
    moments, shape = Moments(dataset.dimension), CellShape(dataset.p, dataset.dimension)
    sample = Sample(dataset.p, dataset.dimension)
    observers = (moments.add, shape.add, sample.add)
    shards = _write_shards(dataset, store, prefix, fitted, observers, chosen, count, write_progress)
    covariance = moments.covariance
    remedy = "divide" if "standardize" in name.split(",") else "use --transform standardize, or divide"
    if not (np.isfinite(moments.mean).all() and np.isfinite(covariance).all()):
        raise InputError(f"the numbers are too large for their covariance to be computed; {remedy} them by a constant")
    if (moments.varies & (variances(covariance) < SMALLEST_VARIANCE)).any():
        remedy = remedy.replace("divide", "multiply")
        raise InputError(f"the numbers are too small for their variance to be computed; {remedy} them by a constant")
    if (note := advise(sample, dataset.column_names).note(name)) is not None:
        warnings.append(note)
    if collinear(covariance):
        warnings.append(
            "the numbers of a cell are collinear: leave out those that follow from the others; in blocks of more than"
            " 10,000 cells rounding outweighs what the data say"
        )
    warnings.extend(shape.warnings(dataset.column_names))
    of_transform = fitted.to_json().encode()
    manifest = Manifest(
        n=dataset.n,
        p=dataset.p,
        dimension=dataset.dimension,
        axis=chosen,
        transform=name,
        mean=tuple(moments.mean.tolist()),
        covariance=_tuples(covariance.tolist()),
        observed=moments.count,
        missing=dataset.missing,
        shards=shards,
        dataset=dataset.prefix,
        dataset_sha256=dataset.sha256,
        warnings=(*dataset.warnings, *transform_warnings, *warnings),
        prefix=prefix,
        dataset_seal=dataset.seal,
        transform_seal=seal_of(of_transform),
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
) -> NDArray[np.float64]:
    """Read one shard and check its digest.

    Parameters
    ----------
    store : ObjectStore
    manifest : Manifest
    index : int
    watch : callable, optional
        Called with each piece of the object, before anything is known of its digest.

    Returns
    -------
    ndarray, shape (items_e, others, d), float64
        C-contiguous and writable; a missing cell is NaN. Needs the memory of the shard and a few megabytes.

    Raises
    ------
    RunError
        The object is missing or is not what `prepare` wrote.
    """
    shard = manifest.shards[index]
    d = manifest.dimension
    if manifest.axis == "rows":
        stored: tuple[int, ...] = (shard.items, manifest.n_others, d)
    else:
        stored = (manifest.n_others, shard.items, d)
    out = np.empty((shard.items, manifest.n_others, d))
    damaged = RunError(f"shard {index} ({shard.key} in {store.url}) is damaged: delete the run's data and run again")
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
            shape, dtype, start = parse_header(part, shard.key)
            if shape != stored or dtype != np.float64:
                raise damaged
            body = part[start:]
        if held:
            body = memoryview(held + bytes(body))
        if manifest.axis == "rows":
            whole = len(body) // 8
            out.reshape(-1)[filled : filled + whole] = np.frombuffer(body, np.float64, whole)
            filled, used = filled + whole, whole * 8
        else:
            # Stored in the order it streamed in, others first: put whole stretches of the others in their place.
            row_bytes = shard.items * d * 8
            whole = len(body) // row_bytes
            rows = np.frombuffer(body, np.float64, whole * shard.items * d).reshape(whole, shard.items, d)
            out[:, filled : filled + whole] = rows.transpose(1, 0, 2)
            filled, used = filled + whole, whole * row_bytes
        held = bytes(body[used:])
    if digest.hexdigest() != shard.sha256:
        raise damaged
    return out


def _tuples(covariance: list[Any]) -> Any:
    """A covariance, or variances alone, of lists as tuples."""
    return tuple(tuple(row) if isinstance(row, list) else row for row in covariance)


def _count_shards(wanted: int | str, items: int, others: int, dimension: int, axis: Axis) -> tuple[int, list[str]]:
    if wanted == "auto":
        return auto_shards(items, others, dimension), []
    check("shards", wanted)
    wanted = int(wanted)
    if wanted > items:
        return items, [f"{wanted} shards asked for but there are only {items} {axis}: used {items}"]
    return wanted, []


def _write_shards(
    dataset: Dataset,
    store: ObjectStore,
    prefix: str,
    transform: Transform,
    observers: Iterable[Callable[[NDArray[np.float64]], object]],
    axis: Axis,
    count: int,
    progress: Callable[[int], None],
) -> tuple[ShardObject, ...]:
    items, others = (dataset.n, dataset.p) if axis == "rows" else (dataset.p, dataset.n)
    d = dataset.dimension
    sizes = [len(range(e, items, count)) for e in range(count)]
    keys = [f"{prefix}/shards/{e:05d}.npy" for e in range(count)]
    digests = [hashlib.sha256() for _ in range(count)]
    lengths = [0] * count
    with ExitStack() as stack:
        writers = [stack.enter_context(store.writer(key)) for key in keys]

        def write(e: int, data: bytes | memoryview) -> None:
            digests[e].update(data)
            lengths[e] += len(data)
            writers[e].write(data)

        for e in range(count):
            write(e, npy_header((sizes[e], others, d) if axis == "rows" else (others, sizes[e], d)))
        done = 0
        for first, raw in dataset.checked_arrays():
            values = transform.apply(raw)
            for observe in observers:
                observe(values)
            for e in range(count):
                part = values[(e - first) % count :: count] if axis == "rows" else values[:, e::count]
                if part.size:
                    write(e, array_bytes(part))
            done += raw.nbytes
            progress(done)
    return tuple(
        ShardObject(key, size, length, digest.hexdigest())
        for key, size, length, digest in zip(keys, sizes, lengths, digests, strict=True)
    )
