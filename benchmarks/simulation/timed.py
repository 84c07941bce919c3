"""A master or a worker that writes down when it does what: ``python -m benchmarks.simulation.timed master|worker``.

It is the product, with a stopwatch around some functions. Each call becomes a line of JSON in a file of its process in
the folder that TIMES_FOLDER names; the times come from the machine's own clock, the same for all processes.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

FOLDER = "TIMES_FOLDER"

_files: dict[int, TextIO] = {}


def _write(kind: str, began: float, **more: Any) -> None:
    # Looked up by process, since a worker's child is forked.
    file = _files.get(os.getpid())
    if file is None:
        file = _files[os.getpid()] = (Path(os.environ[FOLDER]) / f"{os.getpid()}.jsonl").open("a", buffering=1)
    record = {"kind": kind, "pid": os.getpid(), "began": began, "ended": time.monotonic()} | more
    file.write(json.dumps(record) + "\n")


def time_calls(owner: Any, name: str, kind: str, describe: Callable[..., dict[str, Any]]) -> None:
    """Put a stopwatch around a function; ``describe`` makes of its result and arguments what is noted besides."""
    function = getattr(owner, name)

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        began = time.monotonic()
        result = function(*args, **kwargs)
        _write(kind, began, **describe(result, *args))
        return result

    setattr(owner, name, wrapper)


def _time_master() -> None:
    from disnplbm.runs.chains import ChainStore
    from disnplbm_master.coordinator import Coordinator
    from disnplbm_master.publication import Publisher

    time_calls(
        Coordinator, "on_swept", "swept", lambda _, _self, ms, *__: {"iteration": ms[0].iteration, "shards": len(ms)}
    )
    time_calls(
        Coordinator, "finish_iteration", "step", lambda done, _self, at: {"iteration": at.iteration, "done": done}
    )
    time_calls(ChainStore, "advance", "advance", lambda _, _self, step: {"iteration": step.iteration})
    time_calls(Publisher, "publish_iteration", "publish", lambda _, _self, tasks: {"iteration": tasks[0].iteration})


def _time_worker() -> None:
    import disnplbm_worker.sweep as module

    time_calls(module.Sweeper, "sweep", "task", lambda _, _self, m, *__: {"iteration": m.iteration, "shard": m.shard})
    time_calls(module, "shard_step", "kernel", lambda *_: {})


def main(role: str) -> None:
    """Be a master or a worker."""
    from disnplbm.cli.main import cli

    {"master": _time_master, "worker": _time_worker}[role]()
    cli.main(args=[role], prog_name="disnplbm")


if __name__ == "__main__":
    main(sys.argv[1])
