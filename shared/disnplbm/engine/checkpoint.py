"""A chain on disk: one file, from which it goes on bit for bit. The sha256 of what it holds stands first."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from disnplbm.engine.local import RunState
from disnplbm.errors import RunError
from disnplbm.families.base import Family
from disnplbm.files import whole_file
from disnplbm.notes import Hint
from disnplbm.posterior.trace import Trace
from disnplbm.sampler.packing import pack, pack_state, unpack, unpack_state

#: A thread that is about to end the process waits this long, in seconds, for a checkpoint that another one writes.
PATIENCE = 0.3

_SEAL_BYTES = 32


class LastState:
    """The last state of a chain, written to its checkpoint from time to time.

    Parameters
    ----------
    kept : int
        Iterations that the checkpoint holds.
    seconds : float
        How often it is written.
    """

    def __init__(self, checkpoint: Path, kept: int, seconds: float) -> None:
        self._checkpoint, self._kept, self._seconds = checkpoint, kept, seconds
        self._seen: tuple[RunState, Trace, int] | None = None
        self._saved_at = time.monotonic()
        self._writing = threading.Lock()

    @property
    def seen(self) -> int:
        """Iterations up to the last state."""
        return self._kept if self._seen is None else self._seen[2]

    def see(self, state: RunState, trace: Trace) -> None:
        """Take the state after an iteration; the trace may grow after that."""
        self._seen = state, trace, len(trace)
        if time.monotonic() - self._saved_at > self._seconds:
            self.save()

    def save(self) -> int:
        """Write what is not in the checkpoint yet, from any thread; returns how many iterations it holds."""
        if self._writing.acquire(timeout=PATIENCE):
            try:
                state, trace, length = self._seen or (None, None, 0)
                if state is not None and trace is not None and length > self._kept:
                    save_checkpoint(self._checkpoint, state, trace.first(length))
                    self._kept, self._saved_at = length, time.monotonic()
            finally:
                self._writing.release()
        return self._kept


def save_checkpoint(path: Path, state: RunState, trace: Trace) -> None:
    """Write a chain's state and trace; the file appears whole or not at all.

    Raises
    ------
    RunError
        The file cannot be written.
    """
    with whole_file(path, "wb") as file:
        body = pack([pack_state(state.chain), list(state.labels), trace.arrays()])
        file.write(_seal(body) + body)


def load_checkpoint(path: Path, families: Sequence[Family]) -> tuple[RunState, Trace]:
    """Read what :func:`save_checkpoint` wrote, of parts of these families.

    Raises
    ------
    RunError
        The file is missing or damaged.
    """
    try:
        chain, labels, rows = unpack(_open_sealed(path.read_bytes()))
        return RunState(unpack_state(chain, families), tuple(labels)), Trace.from_arrays(rows)
    except (OSError, RunError, TypeError, ValueError, KeyError) as error:
        raise RunError(
            f"the checkpoint {path} is missing, damaged or of an earlier version; start the run anew with ",
            Hint("force"),
        ) from error


def _open_sealed(whole: bytes) -> bytes:
    """Read what a sealed file holds; ValueError if its seal is of something else."""
    seal, body = whole[:_SEAL_BYTES], whole[_SEAL_BYTES:]
    if seal != _seal(body):
        raise ValueError("the seal is of another content")
    return body


def _seal(body: bytes) -> bytes:
    return hashlib.sha256(body).digest()
