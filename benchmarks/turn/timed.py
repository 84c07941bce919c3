"""A worker with a stopwatch around each part of a task: ``python -m benchmarks.turn.timed``."""

from __future__ import annotations

from benchmarks.simulation.timed import time_calls


def main() -> None:
    """Be a worker."""
    import disnplbm_worker.sweep as sweep
    from disnplbm.cli.main import cli
    from disnplbm.messaging.backend import ChordCounter
    from disnplbm.messaging.mirror import Mirror
    from disnplbm_worker.app import WorkerApp

    # A version that counts before it goes on has no name of its own for that.
    count = "count" if hasattr(ChordCounter, "count") else "on_chord_part_return"
    for owner, name, kind in (
        (sweep.Sweeper, "sweep", "task"),
        (Mirror, "is_stale", "stale"),
        (sweep.Sweeper, "_load_labels", "labels"),
        (sweep, "shard_step", "kernel"),
        (sweep.Sweeper, "_make_message", "message"),
        (WorkerApp, "_publish", "publish"),
        (ChordCounter, count, "count"),
    ):
        time_calls(owner, name, kind, lambda *_, **__: {})
    cli.main(args=["worker"], prog_name="disnplbm")


if __name__ == "__main__":
    main()
