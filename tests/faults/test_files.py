"""Files that take long to read, and what befalls a worker meanwhile."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from disnplbm.engine.options import Options
from faults.aftermath import no_failure
from faults.reference import Reference
from faults.waiting import until
from security.culprits import hooked
from services.cluster import WAIT_SECONDS, Cluster, Member

OPTIONS = Options(iterations=3)


class Slow:
    """A file that is being read, for as long as nobody lets go of it, by one worker."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        self._cluster, self._folder = cluster, folder / "hook"
        self._hook = hooked(folder)
        cluster.start_master()
        self.worker = self.start_worker()
        path = folder / "wait.csv"
        path.write_text("a,b\n" + "".join(f"{i % 3},{i * i % 7}\n" for i in range(40)))
        self.run = cluster.submit(path, OPTIONS)
        until(cluster, "it is being read", lambda: self.begun == 1)

    def start_worker(self) -> Member:
        """Start one more worker."""
        return self._cluster.start_worker(**self._hook, DISNPLBM_LOG_LEVEL="debug")

    @property
    def begun(self) -> int:
        """How often somebody began to read it."""
        path = self._folder / "begun"
        return len(path.read_text().splitlines()) if path.exists() else 0

    def let_go(self) -> None:
        """Have it read to its end."""
        (self._folder / "go").touch()


@pytest.fixture
def slow(cluster: Cluster, tmp_path: Path) -> Slow:
    return Slow(cluster, tmp_path)


def test_another_file_and_a_run_go_on_meanwhile(cluster: Cluster, slow: Slow, reference: Reference) -> None:
    """One worker is enough: it reads the second file, shards it, and sweeps all iterations."""
    run = reference.submit(cluster)
    reference.check(cluster, run)
    assert (cluster.service.run(slow.run).state, slow.begun) == ("PENDING", 1)
    slow.let_go()
    cluster.wait(slow.run, "SUCCEEDED")
    no_failure(cluster, run)


def test_told_to_stop_the_worker_ends_the_file(cluster: Cluster, slow: Slow) -> None:
    """It takes no more, reads the file to its end and goes: nothing is done twice."""
    with ThreadPoolExecutor() as pool:
        code = pool.submit(slow.worker.leave, WAIT_SECONDS)
        words = "the worker finishes the files that it reads and leaves"
        until(cluster, "it has heard", lambda: words in slow.worker.log.read_text())
        slow.start_worker()
        slow.let_go()
        assert code.result() == 0
    cluster.wait(slow.run, "SUCCEEDED")
    assert slow.begun == 1


@pytest.mark.long
def test_told_again_the_worker_leaves_the_file_to_another(cluster: Cluster, slow: Slow) -> None:
    """Both of its processes, and the one that holds the file, are gone soon; another worker reads the file."""
    (reading,) = slow.worker.reading()
    slow.worker.tell(signal.SIGINT)
    until(cluster, "it has heard", lambda: "a second Ctrl-C" in slow.worker.log.read_text())
    slow.worker.tell(signal.SIGINT)
    assert slow.worker.ended(4.0) == 130
    until(cluster, "it has gone", lambda: not Path(f"/proc/{reading}").exists())
    slow.start_worker()
    until(cluster, "it is read again", lambda: slow.begun == 2)
    slow.let_go()
    cluster.wait(slow.run, "SUCCEEDED")


def test_the_process_that_reads_is_killed(cluster: Cluster, slow: Slow) -> None:
    """The worker starts another one, to which the broker gives the file again."""
    (reading,) = slow.worker.reading()
    os.kill(reading, signal.SIGKILL)
    until(cluster, "it is read again", lambda: slow.begun == 2)
    slow.let_go()
    cluster.wait(slow.run, "SUCCEEDED")
    assert slow.worker.running


@pytest.mark.long
def test_the_process_that_reads_goes_with_the_worker(cluster: Cluster, slow: Slow) -> None:
    """The worker is killed: what it leaves takes no more files, and another worker reads this one."""
    (reading,) = slow.worker.reading()
    os.kill(slow.worker.pid, signal.SIGKILL)
    until(cluster, "it has gone", lambda: not Path(f"/proc/{reading}").exists())
    slow.start_worker()
    until(cluster, "it is read again", lambda: slow.begun == 2)
    slow.let_go()
    cluster.wait(slow.run, "SUCCEEDED")
