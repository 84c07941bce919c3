"""A file that somebody else made is read in a process of its own, so that a crash ends that process alone.

Libraries written in C follow what a file says, into a crash at worst. So each file gets a fresh process
(:mod:`disnplbm.engine.reader`), with limits on its memory and its time. The order goes in as one line of JSON; progress
and the result come out as further lines. Nothing is pickled.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from disnplbm.bounds import READ_MEMORY_BYTES
from disnplbm.data.dataset import Progress
from disnplbm.data.formats import find_format
from disnplbm.data.memory import GIB, available_bytes
from disnplbm.data.reading import Reading
from disnplbm.data.source import open_source
from disnplbm.data.table import Source
from disnplbm.errors import Away, InputError, OptionsNeeded, RunError
from disnplbm.leaving import on_leaving
from disnplbm.notes import from_plain

#: What the interpreter is told to run. With -P it does not take a module in the current folder for one of ours.
PROGRAM = ("-P", "-m", "disnplbm.engine.reader")

TICK = 0.1
"""Seconds between two looks at how much memory the process has, and whether it is still wanted."""

LEAST_BYTES = 128 * 2**20
"""What a process may take however little is free."""

START_BYTES = 256 * 2**20
"""What the process takes before it opens a file, at most."""

OPEN_SECONDS = 120.0
"""That opening a file of one's own may take, unless DISNPLBM_READ_SECONDS says so."""

#: One thread reads. With more, libraries keep a buffer for each, which counts against the limit.
_ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "2",
}

#: How a process ends when a damaged file crashes it.
_CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGFPE, signal.SIGILL)


@dataclass(frozen=True, slots=True)
class Limits:
    """What reading a file may take.

    Parameters
    ----------
    memory_bytes : int
        Beside what the process takes before it opens the file.
    """

    memory_bytes: int
    seconds: float


def run_apart(
    job: str,
    given: dict[str, Any],
    name: str,
    limits: Limits,
    progress: Progress | None = None,
    folder: Path | None = None,
) -> dict[str, Any]:
    """Do a job of :data:`disnplbm.engine.reader.JOBS` in a process of its own.

    Parameters
    ----------
    given : dict
        Its arguments, for JSON.
    name : str
        The file's name in messages.
    progress : callable, optional
        Called with work done and work in all, several times a second, whether or not there is any. What it raises ends
        the job.
    folder : Path, optional
        Where the process works: paths of files begin there.

    Returns
    -------
    dict
        What the job returned.

    Raises
    ------
    InputError
        The file cannot be read, or met a limit: the message says which.
    RunError
        The store failed, or somebody ended the process.
    """
    deadline = time.monotonic() + limits.seconds
    order = {"job": job, "given": given, "folder": str(folder or Path.cwd())}
    done, total = 0, 0
    with ExitStack() as stack:
        limits = replace(limits, memory_bytes=stack.enter_context(_promise_memory(limits.memory_bytes)))
        process = stack.enter_context(_start_process(order | {"limits": asdict(limits)}))
        for line in _read_lines(process):
            if line is not None:
                said = json.loads(line)
                if "result" in said:
                    result: dict[str, Any] = said["result"]
                    return result
                if "error" in said:
                    raise _make_job_error(said, name, limits)
                done, total = said["progress"]
            if progress is not None:
                progress(done, total)
            if _resident_bytes(process.pid) > limits.memory_bytes + START_BYTES:
                raise _too_large(name, limits)
            if time.monotonic() > deadline:
                raise _too_slow(name, limits)
        raise _make_exit_error(process.wait(), name, limits)


def open_table(path: Path, reading: Reading) -> Source:
    """Open a file in this process; one of a fragile format is opened in a process of its own first.

    Raises
    ------
    InputError
        As :func:`disnplbm.data.source.open_source`; or opening the file crashes, takes too long or too much memory.
    """
    check_opens(path, reading)
    return open_source(path, reading)


def check_opens(path: Path, reading: Reading) -> None:
    """Open a file of a fragile format in a process of its own; InputError if that crashes, or takes too much.

    Nothing else that is wrong with the file is said: whoever goes on to open it finds that out.
    """
    if find_format(path)[1].fragile:
        run_apart("open", {"path": str(path), "reading": reading.to_dict()}, path.name, _opening_limits())


def _opening_limits() -> Limits:
    """As the settings say; the plain package has no packages of the cluster to read them, and takes their defaults."""
    try:
        from disnplbm.settings import settings
    except ModuleNotFoundError:
        return Limits(READ_MEMORY_BYTES, OPEN_SECONDS)
    return Limits(settings().read_memory_bytes, settings().read_seconds or OPEN_SECONDS)


_promises: list[int] = []
_promising = threading.Lock()


@contextmanager
def _promise_memory(most: int) -> Iterator[int]:
    """Promise memory to a process: at most half of what is free and not promised to others of this process."""
    with _promising:
        memory = min(most, max(LEAST_BYTES, (available_bytes() - sum(_promises)) // 2))
        _promises.append(memory)
    try:
        yield memory
    finally:
        with _promising:
            _promises.remove(memory)


@contextmanager
def _start_process(order: dict[str, Any]) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process that works on an order; it is gone when the block is left."""
    process = subprocess.Popen(  # noqa: S603 - nothing of the order is among the words
        [sys.executable, *PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | _ENVIRONMENT,
        # A Ctrl-C in the terminal is for this process, which then ends that one.
        start_new_session=True,
    )
    try:
        with on_leaving(process.kill):
            assert process.stdin is not None
            # `run_apart` says what became of a process that is gone already.
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(json.dumps(order).encode() + b"\n")
                process.stdin.flush()
            # The pipe stays open: the process ends when this one does, which closes it.
            yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()


def _read_lines(process: subprocess.Popen[bytes]) -> Iterator[bytes | None]:
    """Read the lines that a process writes, until it ends; yield None each time that none came for a while."""
    assert process.stdout is not None
    held = b""
    while True:
        ready, _, _ = select.select([process.stdout], [], [], TICK)
        if not ready:
            yield None
            continue
        piece = os.read(process.stdout.fileno(), 2**16)
        if not piece:
            return
        *lines, held = (held + piece).split(b"\n")
        yield from lines


def _resident_bytes(pid: int) -> int:
    """Memory that a process has to itself; 0 where the system does not say."""
    try:
        if Path("/proc/self/status").exists():
            status = Path(f"/proc/{pid}/status").read_text()
            return sum(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("RssAnon"))
        asked = ["ps", "-o", "rss=", "-p", str(pid)]
        found = subprocess.run(asked, capture_output=True, check=False)  # noqa: S603 - a number
        return int(found.stdout or 0) * 1024
    except (OSError, ValueError):
        return 0


def _make_job_error(said: dict[str, Any], name: str, limits: Limits) -> Exception:
    """Make the error that a job reported."""
    kind, message = said["error"], from_plain(said["message"])
    if kind == "memory":
        return _too_large(name, limits)
    if kind == "options":
        return OptionsNeeded(message, Reading.from_dict(said["reading"]))
    if kind == "input":
        return InputError(message)
    if kind == "away":
        return Away(message)
    if kind == "run":
        return RunError(message)
    # A fault of ours: the message is a traceback, for the log.
    return RuntimeError(f"reading {name} failed:\n{message}")


def _make_exit_error(code: int, name: str, limits: Limits) -> Exception:
    """Make the error for a process that ended without a result, from its exit code."""
    number = signal.Signals(-code) if code < 0 else None
    if number == signal.SIGKILL:
        return InputError(
            f"{name} needs more memory than the system has free, which ended the process that read it: send fewer rows"
            " or columns, or use a machine with more memory"
        )
    if number == signal.SIGXCPU:
        return _too_slow(name, limits)
    if number in _CRASHES:
        return InputError(
            f"{name} crashed the process that read it ({number.name}): the file is damaged; write it again"
        )
    how = number.name if number is not None else f"exit code {code}"
    return RunError(f"the process that read {name} was ended ({how}): try again")


def _too_large(name: str, limits: Limits) -> InputError:
    return InputError(
        f"{name} needs more memory than the {limits.memory_bytes / GIB:,.3g} GiB that reading a file may take: send"
        " fewer rows or columns, or allow more (DISNPLBM_READ_MEMORY_BYTES, at most half of what is free)"
    )


def _too_slow(name: str, limits: Limits) -> InputError:
    return InputError(
        f"{name} takes longer to read than the {limits.seconds:,g} seconds that a file may take: send fewer rows or"
        " columns, or raise DISNPLBM_READ_SECONDS"
    )
