"""A chain on disk: one .npz file of plain arrays, from which it goes on bit for bit."""

from __future__ import annotations

import threading
import time
import zipfile
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from disnplbm.engine.local import RunState
from disnplbm.errors import RunError
from disnplbm.files import whole_file
from disnplbm.model.statistics import Labels, Statistics
from disnplbm.posterior.trace import Trace
from disnplbm.sampler.state import Broadcast, ChainState, Measure, Tries

#: A thread that is about to end the process waits this long, in seconds, for a checkpoint that another one writes.
PATIENCE = 0.3


class LastState:
    """The last state of a chain, written to its checkpoint from time to time.

    Parameters
    ----------
    checkpoint : Path
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
    broadcast = state.chain.broadcast
    arrays: dict[str, NDArray[np.generic]] = {
        "iteration": np.array(broadcast.iteration),
        "column_labels": broadcast.column_labels,
        "sizes": broadcast.sizes,
        "count": broadcast.blocks.count,
        "mean": broadcast.blocks.mean,
        "scatter": broadcast.blocks.scatter,
        "next_alpha": np.array(broadcast.alpha),
        "next_beta": np.array(broadcast.beta),
        "partners": broadcast.partners,
        **{f"try_{name}": field for name, field in broadcast.tries._asdict().items()},
        **{f"measure_{name}": np.asarray(field) for name, field in broadcast.measure._asdict().items()},
        "state_log_joint": np.array(state.chain.log_joint),
        **trace.arrays(),
        **_packed("maps", state.chain.maps),
        **_packed("labels", state.labels),
    }
    with whole_file(path, "wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def load_checkpoint(path: Path) -> tuple[RunState, Trace]:
    """Read what :func:`save_checkpoint` wrote.

    Raises
    ------
    RunError
        The file is missing or damaged.
    """
    try:
        # Opened here, since NumPy leaves a file open that turns out not to be an archive.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        blocks = Statistics(arrays["count"], arrays["mean"], arrays["scatter"])
        measure = {name: arrays[f"measure_{name}"] for name in Measure._fields}
        broadcast = Broadcast(
            int(arrays["iteration"]),
            arrays["column_labels"],
            arrays["sizes"],
            blocks,
            float(arrays["next_alpha"]),
            float(arrays["next_beta"]),
            arrays["partners"],
            Tries(**{name: arrays[f"try_{name}"] for name in Tries._fields}),
            Measure(**measure | {"rest": float(measure["rest"])}),
        )
        chain = ChainState(broadcast, _unpacked("maps", arrays), float(arrays["state_log_joint"]))
        return RunState(chain, _unpacked("labels", arrays)), Trace.of(arrays)
    except (OSError, EOFError, ValueError, KeyError, IndexError, zipfile.BadZipFile, zlib.error) as error:
        raise RunError(f"the checkpoint {path} is missing or damaged; start the run anew with --force") from error


def _packed(name: str, parts: tuple[Labels, ...]) -> dict[str, NDArray[np.generic]]:
    return {name: np.concatenate(parts), f"{name}_lengths": np.array([len(part) for part in parts])}


def _unpacked(name: str, arrays: dict[str, NDArray[np.generic]]) -> tuple[Labels, ...]:
    ends = np.cumsum(arrays[f"{name}_lengths"].astype(np.int64))
    return tuple(part.astype(np.int32) for part in np.split(arrays[name], ends[:-1]))
