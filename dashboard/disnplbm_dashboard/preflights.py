"""Pre-flight reports of uploads: made once each, a few at a time, beside the requests that ask for them."""

from __future__ import annotations

import hashlib
import json
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from disnplbm.data.preflight import with_forecast
from disnplbm.engine.pilot import pilot
from disnplbm.engine.preparation import survey_upload
from disnplbm.errors import Interrupted
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.records import DatasetRecord

#: Seconds that a request waits before it says how far the report has come.
PATIENCE = 2.0

#: Files that are read at a time: one that takes long keeps no other one waiting.
AT_A_TIME = 4


@dataclass
class Making:
    """A report that is being made: bytes read, and in all."""

    done: int = 0
    total: int = 0
    future: Future[dict[str, Any]] = field(default_factory=Future)


FORMAT = 4
"""Raised when a report gets other fields: one that an earlier version kept is made anew."""


class Preflights:
    """Reports by dataset and the way it is read, kept beside the uploads."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._making: dict[str, Making] = {}
        self._closed = threading.Event()
        self._pool = ThreadPoolExecutor(max_workers=AT_A_TIME, thread_name_prefix="preflight")

    def close(self) -> None:
        """End what is being read; no more reports are made."""
        self._closed.set()
        self._pool.shutdown(cancel_futures=True)

    def of(self, dataset: DatasetRecord, patience: float = PATIENCE) -> dict[str, Any] | Making:
        """The report of a dataset, or how far it has come.

        Parameters
        ----------
        patience : float
            Seconds to wait for it.

        Raises
        ------
        InputError
            The table cannot be read; the line says where.
        RunError
            The store is.
        """
        # Of a file that is read in another way the report is another one.
        reading = json.dumps(dataset.reading, sort_keys=True).encode()
        key = f"uploads/{dataset.id}/preflight-{FORMAT}-{hashlib.sha256(reading).hexdigest()[:16]}.json"
        with self._lock:
            making = self._making.get(key)
            if making is None:
                if self._store.exists(key):
                    kept: dict[str, Any] = json.loads(bytes(self._store.get(key)))
                    return kept
                making = self._making[key] = Making(total=dataset.upload_bytes)
                making.future = self._pool.submit(self._make, dataset, making, key)
        try:
            report = making.future.result(patience)
        except TimeoutError:
            return making
        except BaseException:
            self._forget(key)
            raise
        self._forget(key)
        return report

    def _make(self, dataset: DatasetRecord, making: Making, key: str) -> dict[str, Any]:
        def progress(done: int, total: int) -> None:
            if self._closed.is_set():
                raise Interrupted("the server stops")
            making.done, making.total = done, total or making.total

        found, sample = survey_upload(
            self._store,
            dataset.upload_key,
            dataset.reading,
            size=dataset.upload_bytes,
            sha256=dataset.upload_sha256,
            progress=progress,
        )
        report = with_forecast(found, sample, pilot).to_dict() | {"name": dataset.name}
        self._store.put(key, json.dumps(report).encode())
        return report

    def _forget(self, key: str) -> None:
        with self._lock:
            self._making.pop(key, None)
