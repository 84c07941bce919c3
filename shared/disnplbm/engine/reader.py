"""The process in which a file is read: ``python -m disnplbm.engine.reader``, started by :mod:`disnplbm.engine.apart`.

It imports no kernels, which take a second to load.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from disnplbm.data.covariates import read_covariates
from disnplbm.data.dataset import ingest, load_dataset
from disnplbm.data.factors import read_factors
from disnplbm.data.preflight import survey
from disnplbm.data.preview import preview
from disnplbm.data.reading import Reading
from disnplbm.data.shards import prepare
from disnplbm.data.source import open_source
from disnplbm.data.table import Source
from disnplbm.errors import Away, DisnplbmError, InputError, OptionsNeeded
from disnplbm.families.cell_type import Factors
from disnplbm.families.responses.covariates import Covariates
from disnplbm.notes import to_plain
from disnplbm.objects.store import open_store

_EVERY = 0.1
"""Seconds between two lines of progress."""


class _Told:
    """Writes lines to the process that started this one. What libraries print is thrown away."""

    def __init__(self) -> None:
        self._out = os.fdopen(os.dup(1), "wb", buffering=0)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        self._last = 0.0

    def say(self, **what: Any) -> None:
        """Write a line."""
        self._out.write(json.dumps(what).encode() + b"\n")

    def progress(self, done: int, total: int) -> None:
        """Write a line now and then."""
        if time.monotonic() - self._last > _EVERY:
            self._last = time.monotonic()
            self.say(progress=[done, total])


def main() -> None:
    """Take one order from standard input, do it, and say what came of it."""
    told = _Told()
    order = json.loads(sys.stdin.buffer.readline())
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _limit(**order["limits"])
    os.chdir(order["folder"])
    try:
        told.say(result=JOBS[order["job"]](told.progress, **order["given"]))
    except MemoryError:
        told.say(error="memory", message="")
    except OptionsNeeded as needed:
        told.say(error="options", message=to_plain(needed.problem), reading=needed.reading.to_dict())
    except Away as error:
        told.say(error="away", message=to_plain(error.note))
    except DisnplbmError as error:
        told.say(error="input" if isinstance(error, InputError) else "run", message=to_plain(error.note))
    except Exception:
        told.say(error="fault", message=traceback.format_exc())
    # Libraries may have threads that never end.
    os._exit(0)


def _end_with_parent() -> None:
    """End when the process that started this one does: then its end of the pipe is closed."""
    sys.stdin.buffer.read()
    os._exit(1)


def _limit(memory_bytes: int, seconds: float) -> None:
    """Limit what this process may take, and offer it to the system as the first to end where memory is short.

    Linux counts what a process asks for itself in RLIMIT_DATA. RLIMIT_AS, which other systems have, counts files that
    are mapped too, and room that is only set aside.
    """
    try:
        import resource
    except ImportError:
        # The process that started this one watches the memory.
        return
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            Path("/proc/self/oom_score_adj").write_text("1000")
        taken = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
        kind, most = resource.RLIMIT_DATA, taken + memory_bytes
    else:
        kind, most = resource.RLIMIT_AS, memory_bytes
    # The process that started this one keeps the time. This limit is for the case that it is gone.
    of_processors = int(2 * seconds) + 60
    for limit, value in ((kind, most), (resource.RLIMIT_CPU, of_processors), (resource.RLIMIT_CORE, 0)):
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(limit, (value, value))


Report = Callable[[int, int], None]


def _source(path: str, reading: dict[str, Any], most_bytes: int) -> Source:
    return open_source(Path(path), Reading.from_dict(reading), most_bytes=most_bytes)


def _survey(report: Report, path: str, reading: dict[str, Any], most_bytes: int, sample: str) -> dict[str, Any]:
    found, cells = survey(_source(path, reading, most_bytes), report)
    cells.save(Path(sample))
    return found.to_dict()


def _preview(_report: Report, path: str, reading: dict[str, Any], whole: bool) -> dict[str, Any]:
    return preview(Path(path), Reading.from_dict(reading), whole=whole).to_dict()


def _covariates(_report: Report, path: str) -> dict[str, Any]:
    return read_covariates(path).to_plain()


def _factors(_report: Report, path: str) -> dict[str, Any]:
    found = read_factors(path)
    return {"ids": found.ids, "labels": found.labels}


def _ingest(
    report: Report, path: str, reading: dict[str, Any], most_bytes: int, store: str, prefix: str
) -> dict[str, Any]:
    ingest(_source(path, reading, most_bytes), open_store(store), prefix, report, reading=reading)
    return {}


def _prepare(report: Report, store: str, dataset: str, seal: str, prefix: str, **how: Any) -> dict[str, Any]:
    here = open_store(store)
    found = load_dataset(here, dataset, seal)
    if not isinstance(how.get("exposure", ""), str):
        how["exposure"] = Factors.from_plain(how["exposure"])
    if "covariates" in how:
        how["covariates"] = Covariates.from_plain(how["covariates"])
    prepare(found, here, prefix, **how, progress=report)
    return {}


def _open(_report: Report, path: str, reading: dict[str, Any]) -> dict[str, Any]:
    # Whoever asks opens the file too once this has come to an end, and says what is wrong.
    with contextlib.suppress(DisnplbmError):
        open_source(Path(path), Reading.from_dict(reading))
    return {}


JOBS: dict[str, Callable[..., dict[str, Any]]] = {
    "open": _open,
    "preview": _preview,
    "covariates": _covariates,
    "factors": _factors,
    "survey": _survey,
    "ingest": _ingest,
    "prepare": _prepare,
}

if __name__ == "__main__":
    main()
