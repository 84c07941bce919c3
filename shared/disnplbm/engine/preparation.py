"""What comes before a run's first iteration: an upload is read and sharded, each at most once in an object store.

What is done with the bytes of an upload is done in a process of its own (:mod:`disnplbm.engine.apart`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from disnplbm.cell_types import DENSE
from disnplbm.data.dataset import Dataset, Progress, load_dataset
from disnplbm.data.matching import LabelList
from disnplbm.data.preflight import Survey
from disnplbm.data.preview import Preview
from disnplbm.data.sample import Sample
from disnplbm.data.sharding import choose_sharding
from disnplbm.data.shards import Manifest, load_manifest
from disnplbm.data.sparse_numbers import is_kept_sparse
from disnplbm.engine.apart import Limits, run_apart
from disnplbm.engine.labels import covariates_of, match_exposure
from disnplbm.errors import InputError
from disnplbm.families.cell_type import Factors
from disnplbm.files import scratch_folder
from disnplbm.objects.store import ObjectStore
from disnplbm.objects.uploads import plain_name
from disnplbm.runs.request import Request
from disnplbm.settings import settings

PREVIEW_SECONDS = 20.0
"""What a look at the first lines of a file may take."""


def preview_upload(name: str, beginning: bytes, reading: dict[str, Any], *, whole: bool) -> Preview:
    """What the first lines of a file look like that is not uploaded yet; see :mod:`disnplbm.data.preview`.

    Parameters
    ----------
    name : str
        Of the file.
    beginning : bytes
        Cut anywhere.
    reading : dict
        What :meth:`disnplbm.data.reading.Reading.to_dict` wrote.
    whole : bool
        Whether that is the whole file.

    Raises
    ------
    InputError
        To look at the lines takes more memory or time than it may. What is wrong with them is in the preview.
    """
    with scratch_folder("disnplbm-preview-") as folder:
        path = folder / plain_name(name)
        path.write_bytes(beginning)
        given = {"reading": reading, "whole": whole}
        return Preview.from_dict(_read("preview", path, given, most_seconds=PREVIEW_SECONDS))


def read_sent_factors(name: str, body: bytes) -> LabelList[float]:
    """The factors in a file that was sent; see :func:`disnplbm.data.factors.read_factors`.

    Raises
    ------
    InputError
        The file is no such file, or to read it takes more memory or time than it may.
    """
    with scratch_folder("disnplbm-factors-") as folder:
        path = folder / plain_name(name)
        path.write_bytes(body)
        found = run_apart("factors", {"path": path.name}, path.name, _limits(PREVIEW_SECONDS), folder=folder)
    return LabelList(found["labels"], found["ids"])


def survey_upload(
    store: ObjectStore,
    key: str,
    reading: dict[str, Any],
    *,
    size: int,
    sha256: str,
    progress: Progress | None = None,
) -> tuple[Survey, Sample]:
    """What is in an uploaded file, and a sample of it.

    Parameters
    ----------
    reading : dict
        What :meth:`disnplbm.data.reading.Reading.to_dict` wrote.
    progress : callable, optional
        Called with bytes read and in all.

    Raises
    ------
    InputError
        The file is not what was sent, is no table, unpacks to more than the settings allow an upload to have, or takes
        more memory or time than they allow; messages call it by its name.
    """
    with _copy_upload(store, key, size, sha256, progress) as path:
        sample = path.parent.with_name("sample.npz")
        found = _read("survey", path, {"reading": reading, **_room(), "sample": str(sample)}, progress)
        return Survey.from_dict(found), Sample.load(sample)


def read_once(
    store: ObjectStore,
    prefix: str,
    key: str,
    reading: dict[str, Any],
    *,
    size: int,
    sha256: str,
    progress: Progress | None = None,
) -> Dataset:
    """The dataset under a prefix, read from its upload if that was not done before; see :func:`survey_upload`."""
    if store.exists(f"{prefix}/dataset.json"):
        return load_dataset(store, prefix)
    with _copy_upload(store, key, size, sha256, progress) as path:
        _read("ingest", path, {"reading": reading, **_room(), "store": store.url, "prefix": prefix}, progress)
    return load_dataset(store, prefix)


def shard_once(
    store: ObjectStore,
    prefix: str,
    *,
    seal: str | None,
    n_shards: int | str,
    axis: str,
    transform: str,
    cells: str,
    exposure: str,
    asked: Request | None = None,
    progress: Progress | None = None,
) -> Manifest:
    """The shards of the dataset under a prefix, shared by all runs that have it cut and transformed the same way.

    Parameters
    ----------
    seal : str or None
        What the database has of the dataset.
    asked : Request, optional
        It holds the factors where the exposure is given, and the covariates of responses.

    Raises
    ------
    InputError
        The shards would take more room than the cells of an upload may, or the factors cannot be used.
    """
    dataset = load_dataset(store, prefix, seal)
    exposed = exposure if asked is None else match_exposure(dataset, asked, exposure, cells)[0]
    covariates = None if asked is None else covariates_of(dataset, asked, cells)[0]
    sharding = choose_sharding(dataset, n_shards=n_shards, axis=axis)
    how: dict[str, Any] = {"n_shards": sharding.n_shards, "axis": sharding.axis, "transform": transform, "cells": cells}
    cut = f"{transform.replace(',', '_')}-{sharding.axis}-{sharding.n_shards}"
    if cells != DENSE:
        # How many shards there are depends on the cells that are stored.
        plain, name = (exposed.to_plain(), exposed.digest) if isinstance(exposed, Factors) else (exposed, exposed)
        how |= {"n_shards": n_shards, "axis": axis, "exposure": plain}
        cut = f"{cells}-{name}-{transform.replace(',', '_')}-{axis}-{n_shards}"
        if covariates is not None:
            how |= {"covariates": covariates.to_plain()}
            cut = f"{cut}-{covariates.digest}"
    elif is_kept_sparse(dataset.shape, dataset.count_stored(), transform):
        how |= {"n_shards": n_shards, "axis": axis}
        cut = f"sparse-{transform.replace(',', '_')}-{axis}-{n_shards}"
    where = f"shards/{dataset.sha256[:32]}-{prefix.rpartition('/')[2]}-{cut}"
    if store.exists(f"{where}/manifest.json"):
        return load_manifest(store, where)
    # Its cells count for the limit as they are stored, and dense shards hold the zeros too.
    given = {"store": store.url, "dataset": prefix, "seal": dataset.seal, "prefix": where, **how, **_room()}
    run_apart("prepare", given, "the dataset", _limits(), progress)
    return load_manifest(store, where)


@contextmanager
def _copy_upload(store: ObjectStore, key: str, size: int, sha256: str, progress: Progress | None) -> Iterator[Path]:
    """Copy an uploaded file beside this process for as long as it is read; progress is asked whether it is wanted."""
    with scratch_folder("disnplbm-upload-") as folder:
        # In a folder of its own: some kinds of files are known by what lies beside them.
        path = folder / "file" / key.rpartition("/")[2]
        path.parent.mkdir()
        digest, done = hashlib.sha256(), 0
        with path.open("wb") as file:
            for part in store.parts(key):
                digest.update(part)
                done += file.write(part)
                if progress is not None:
                    progress(0, size)
        if (done, digest.hexdigest()) != (size, sha256):
            raise InputError(f"{path.name} did not arrive as it was sent ({done} bytes): upload it again")
        yield path


def _read(
    job: str, path: Path, given: dict[str, Any], progress: Progress | None = None, most_seconds: float = float("inf")
) -> dict[str, Any]:
    """Have a file read from within its folder: errors call it by its name, which is how its owner knows it."""
    return run_apart(job, {"path": path.name, **given}, path.name, _limits(most_seconds), progress, path.parent)


def _room() -> dict[str, int]:
    return {"most_bytes": settings().upload_limit_bytes}


def _limits(most_seconds: float = float("inf")) -> Limits:
    return Limits(settings().read_memory_bytes, min(settings().reading_seconds, most_seconds))
