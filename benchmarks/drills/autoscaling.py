"""Autoscaling played: workers come with two runs, some are taken away in mid-sweep, and all go when all is done."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from disnplbm.engine.options import Options
from services.cluster import WAIT_SECONDS, Cluster, Member
from services.scaled_object import ScaledObject
from services.scaler import Scaler
from services.served import Served
from services.suspension import Suspended, suspended_in_a_sweep
from services.tables import fitted, missing

#: The run that is held against ``fit``: chains, and shards of each.
CHAINS, SHARDS = 2, 2

#: Shards of the run beside it, which is cancelled.
BESIDE = 2

#: Iterations in which the number of workers is not to change.
STEADY = 50


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was seen.

    Parameters
    ----------
    scaler : Scaler
        With all that it decided, and how its workers left.
    submitted : tuple of float
        From when to when the runs were submitted, on the scaler's watch.
    steady : tuple of float
        From when to when the iterations went by in which nothing was to change.
    resumed, frozen : Member
        Two workers that were told to stop in the middle of a sweep: the one could go on, the other could not.
    expected, digest : str
        Of labels and trace: what ``fit`` gives, and what the run gave.
    """

    scaler: Scaler
    submitted: tuple[float, float]
    steady: tuple[float, float]
    resumed: Member
    frozen: Member
    expected: str
    digest: str


def play(
    cluster: Cluster,
    folder: Path,
    rule: ScaledObject,
    *,
    speed: float,
    iterations: int,
    grace: float,
    say: Callable[[str], None],
) -> Outcome:
    """Play it on a cluster without members.

    Parameters
    ----------
    cluster : Cluster
    folder : Path
        For tables and the run of ``fit``.
    rule : ScaledObject
    speed : float
        How many times as fast as the wall's the clock of the autoscaler runs; runs take the time that they take.
    iterations : int
        Of the run; those that go by until all workers are there, and ``STEADY``, and some.
    grace : float
        Seconds on the wall that a worker has to go.
    say : callable
        Told what happens, in lines.
    """
    options = Options(iterations=iterations, seed=7, sampler="split-merge", chains=CHAINS)
    table = missing(folder / "table")
    expected = str(fitted(table, folder / "fit", options, n_shards=SHARDS)["digest"])
    say(f"fit ends with digest {expected[:12]}")
    # As in production: what is lost is to come back from the broker, and not because the master asks again.
    cluster.environment |= {"DISNPLBM_TASK_SECONDS": "1500", "DISNPLBM_GRACE_SECONDS": "30"}
    cluster.start_master()
    dashboard = Served(cluster)
    with dashboard, Scaler(cluster, dashboard.start(), rule, speed=speed, grace=grace, say=say) as scaler:
        _until(scaler, "it asks", lambda: len(scaler.decisions) > 1)
        say(f"no run: {scaler.decisions[-1].wanted:.0f} wanted, {len(scaler.workers)} workers")
        begin = scaler.seconds
        run = cluster.submit(table, options, n_shards=SHARDS)
        beside = cluster.submit(table, Options(iterations=100_000), n_shards=BESIDE)
        submitted = (begin, scaler.seconds)
        say(f"submitted: run 1 of {CHAINS} chains in {SHARDS} shards, run 2 of {BESIDE} shards")
        wanted = CHAINS * SHARDS + BESIDE
        _until(scaler, "all workers come", lambda: len(scaler.workers) == wanted)
        begin, done = scaler.seconds, cluster.service.progress(run).done
        cluster.wait(run, iteration=done + STEADY * CHAINS)
        cluster.wait(beside, iteration=STEADY)
        steady = (begin, scaler.seconds)
        say(f"{STEADY} iterations of run 1, and of run 2, with {wanted} workers throughout")
        # Each in another chain, so that the whole run stands still until they are gone.
        resumed, frozen = (_suspended(cluster, scaler, run, stream, say) for stream in range(CHAINS))
        cluster.service.cancel(beside, actor="test")
        say("run 2 is cancelled")
        _until(scaler, "both are told to stop", lambda: {resumed.worker, frozen.worker} <= scaler.leaving.keys())
        os.kill(resumed.child, signal.SIGCONT)
        say(f"the sweep of {scaler.name(resumed.worker)} goes on, that of {scaler.name(frozen.worker)} does not")
        digest = str(cluster.outcome(run)["digest"])
        say(f"run 1 ends with digest {digest[:12]}")
        _until(scaler, "all workers go", lambda: scaler.is_empty)
        say("no worker is left")
    return Outcome(scaler, submitted, steady, resumed.worker, frozen.worker, expected, digest)


def _suspended(cluster: Cluster, scaler: Scaler, run: str, stream: int, say: Callable[[str], None]) -> Suspended:
    """Stop a worker short in a sweep of a chain, and have it be the next to go."""
    suspended = suspended_in_a_sweep(*scaler.workers, store=cluster.store, run=run, stream=stream)
    assert suspended is not None, f"nobody swept chain {stream + 1}"
    scaler.goes_next(suspended.worker)
    say(f"{scaler.name(suspended.worker)} is suspended in the middle of a sweep of run 1, chain {stream + 1}")
    return suspended


def _until(scaler: Scaler, what: str, holds: Callable[[], bool]) -> None:
    """Wait; what takes minutes by the rule may take as many more."""
    deadline = time.monotonic() + 4 * WAIT_SECONDS
    while not holds():
        scaler.check()
        assert time.monotonic() < deadline, f"not within {4 * WAIT_SECONDS} s: {what}"
        time.sleep(0.05)
