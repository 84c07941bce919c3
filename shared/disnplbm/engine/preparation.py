"""What comes before a run's first iteration: an upload is read and sharded, each at most once in an object store."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from disnplbm.data.dataset import Dataset, Progress, ingest, load_dataset
from disnplbm.data.reading import Reading
from disnplbm.data.shards import Manifest, layout, load_manifest, prepare
from disnplbm.data.source import Source, open_source
from disnplbm.errors import InputError, OptionsNeeded
from disnplbm.files import scratch_folder
from disnplbm.settings import settings
from disnplbm.storage.objects import ObjectStore


@contextmanager
def opened_upload(store: ObjectStore, key: str, reading: dict[str, Any], *, size: int, sha256: str) -> Iterator[Source]:
    """An uploaded file as a table, copied beside this process for as long as it is read.

    Parameters
    ----------
    store : ObjectStore
    key : str
    reading : dict
        What :meth:`disnplbm.data.reading.Reading.to_dict` wrote.
    size : int
    sha256 : str

    Raises
    ------
    InputError
        The file is not what was sent, is no table, or unpacks to more than the settings allow an upload to have;
        messages call it by its name.
    """
    with scratch_folder("disnplbm-upload-") as folder:
        path = folder / key.rpartition("/")[2]
        digest, done = hashlib.sha256(), 0
        with path.open("wb") as file:
            for part in store.parts(key):
                digest.update(part)
                done += file.write(part)
        if (done, digest.hexdigest()) != (size, sha256):
            raise InputError(f"{path.name} did not arrive as it was sent ({done} bytes): upload it again")
        try:
            yield open_source(path, Reading.from_dict(reading), most_bytes=settings().upload_limit_bytes)
        except InputError as error:
            # Whoever reads this knows the file by its name.
            hidden = f"{folder}/"
            if isinstance(error, OptionsNeeded):
                raise OptionsNeeded(error.problem.replace(hidden, ""), error.reading) from error
            raise InputError(str(error).replace(hidden, "")) from error


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
    """The dataset under a prefix, read from its upload if that was not done before; see :func:`opened_upload`."""
    if store.exists(f"{prefix}/dataset.json"):
        return load_dataset(store, prefix)
    with opened_upload(store, key, reading, size=size, sha256=sha256) as source:
        return ingest(source, store, prefix, progress, reading=reading)


def shard_once(
    store: ObjectStore,
    prefix: str,
    *,
    seal: str | None,
    n_shards: int | str,
    axis: str,
    transform: str,
    progress: Progress | None = None,
) -> Manifest:
    """The shards of the dataset under a prefix, shared by all runs that have it cut and transformed the same way.

    ``seal`` is what the database has of the dataset.
    """
    dataset = load_dataset(store, prefix, seal)
    along, count, _ = layout(dataset, n_shards=n_shards, axis=axis)
    name = f"{dataset.sha256[:32]}-{prefix.rpartition('/')[2]}-{transform.replace(',', '_')}-{along}-{count}"
    where = f"shards/{name}"
    if store.exists(f"{where}/manifest.json"):
        return load_manifest(store, where)
    return prepare(dataset, store, where, n_shards=count, axis=along, transform=transform, progress=progress)
