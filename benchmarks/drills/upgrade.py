"""Rolling upgrade: a run that was begun under an older version of the code ends under this one, bit for bit.

The older version is a commit in this repository, unpacked into a folder; its processes are started as for this
environment with that folder before it on Python's path.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from disnplbm.engine.options import Options
from faults.waiting import until
from services.cluster import WAIT_SECONDS, Cluster, environment_with
from services.tables import fitted, missing

_ROOT = Path(__file__).resolve().parents[2]

#: The first commit of this repository that has the whole cluster in it.
OLD = "9ffed1a"

#: Folders of packages in a checkout.
_PACKAGES = ("shared", "services/master", "services/worker", "dashboard")

SHARDS, ITERATIONS = 4, 600

#: Iterations that the run is to do between two steps of the upgrade.
BETWEEN = 15


class Version:
    """The code of a version.

    Parameters
    ----------
    name : str
    tree : Path
        A checkout.
    """

    def __init__(self, name: str, tree: Path) -> None:
        self.name = name
        self.environment = {"PYTHONPATH": os.pathsep.join(str(tree / package) for package in _PACKAGES)}
        program = "import disnplbm, disnplbm_master, disnplbm_worker as w; print(disnplbm.__file__, w.__file__)"
        places = self._python(["-c", program], {}).split()
        assert all(Path(place).is_relative_to(tree) for place in places), f"{name} is not run from {tree}: {places}"

    def run(self, cluster: Cluster, *arguments: object) -> str:
        """Run a command of this version beside a cluster; what it prints."""
        program = "from disnplbm.cli import main; main()"
        return self._python(["-c", program, *map(str, arguments)], cluster.environment)

    def _python(self, arguments: list[str], environment: dict[str, str]) -> str:
        variables = environment_with(environment | self.environment)
        done = subprocess.run([sys.executable, *arguments], env=variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{self.name}, {arguments}: {done.stderr}"
        return done.stdout


def unpacked(commit: str, folder: Path) -> Path:
    """The files of a commit, in a folder."""
    folder.mkdir(parents=True)
    archive = subprocess.run(["git", "archive", commit, *_PACKAGES[:3]], cwd=_ROOT, stdout=subprocess.PIPE, check=True)
    subprocess.run(["tar", "--extract", "--directory", folder], input=archive.stdout, check=True)
    return folder


def play(cluster: Cluster, folder: Path, commit: str, *, say: Callable[[str], None]) -> tuple[str, str]:
    """Play it.

    Parameters
    ----------
    cluster : Cluster
        Without members, and without tables in its database.
    folder : Path
        For the older version, the table, and the run of ``fit``.
    commit : str
        The older version.
    say : callable
        Told what happens, in lines.

    Returns
    -------
    tuple of str
        Digests of an undisturbed run by ``fit`` of this version, and of the run.
    """
    old, new = Version("old", unpacked(commit, folder / "old")), Version("new", _ROOT)
    options = Options(iterations=ITERATIONS, seed=7, sampler="split-merge")
    table = missing(folder / "table")
    expected = str(fitted(table, folder / "fit", options, n_shards=SHARDS)["digest"])
    say(f"fit of the new version ends with digest {expected[:12]}")

    old.run(cluster, "migrate")
    master = cluster.start_master(**old.environment)
    workers = [cluster.start_worker(**old.environment) for _ in range(2)]
    given = ("--iterations", ITERATIONS, "--seed", 7, "--sampler", "split-merge", "--shards", SHARDS)
    run = str(json.loads(old.run(cluster, "submit", table, *given, "--json"))["run"])
    say(f"a master, two workers and a run of {ITERATIONS} iterations, all of {commit}")

    def goes_on() -> None:
        done = cluster.service.progress(run).done
        cluster.wait(run, iteration=done + BETWEEN)
        say(f"the run goes on, from iteration {done} to {cluster.service.progress(run).done}")

    # Nothing of the new version can read the tables yet.
    done = _done(old, cluster, run)
    deadline = time.monotonic() + WAIT_SECONDS
    while (later := _done(old, cluster, run)) < done + BETWEEN:
        assert time.monotonic() < deadline, cluster.logs()
    say(f"the run goes on, from iteration {done} to {later}")
    say(f"$ disnplbm migrate, of the new version: {new.run(cluster, 'migrate').strip().rpartition(' are ')[2]}")
    goes_on()
    cluster.start_worker(**new.environment)
    say(f"a new worker; an old one is told to stop: code {workers[0].leave(WAIT_SECONDS)}")
    goes_on()
    following = cluster.start_master(**new.environment)
    until(cluster, "the new master stands by", lambda: "standing by" in following.log.read_text())
    say(f"a new master, which stands by; the old one is told to stop: code {master.leave(WAIT_SECONDS)}")
    until(cluster, "the new master is active", lambda: "this master is active" in following.log.read_text())
    goes_on()
    cluster.start_worker(**new.environment)
    say(f"another new worker; the other old one is told to stop: code {workers[1].leave(WAIT_SECONDS)}")
    goes_on()
    assert cluster.service.run(run).state == "RUNNING", "the run was over before the upgrade was"
    digest = str(cluster.outcome(run)["digest"])
    say(f"the run ends with digest {digest[:12]}")
    return expected, digest


def _done(version: Version, cluster: Cluster, run: str) -> int:
    """Iterations that are done, as a version says."""
    return int(json.loads(version.run(cluster, "status", run, "--json"))["iterations_done"])
