"""Play operations on real servers and write docs/drills.md: ``python -m benchmarks.drills [PART...]``."""

from __future__ import annotations

import argparse
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.cluster.servers import Servers
from benchmarks.drills import autoscaling, restore, upgrade
from benchmarks.machine import processor
from disnplbm.machine import usable_cores
from faults.reference import make_reference
from services.cluster import Cluster
from services.scaled_object import read_scaled_object
from services.seaweedfs import SeaweedFS

_PAGE = Path(__file__).resolve().parents[2] / "docs/drills.md"

#: Seconds that a worker has to go, in place of a worker's grace period: one of them is to be killed.
_GRACE = 20.0


class Transcript:
    """What was said, each line with the seconds since the first."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._lines: list[str] = []

    def say(self, line: str) -> None:
        """Keep a line, and print it."""
        self._lines.append(f"{time.monotonic() - self._began:6.1f}  {line}")
        print(self._lines[-1], flush=True)

    def __str__(self) -> str:
        return "\n".join(f"    {line}" for line in self._lines)


def play_autoscaling(servers: Servers, folder: Path) -> str:
    """In the ScaledObject's own time."""
    transcript, rule = Transcript(), read_scaled_object()
    with servers.cluster() as cluster:
        outcome = autoscaling.play(cluster, folder, rule, speed=1.0, iterations=800, grace=_GRACE, say=transcript.say)
    assert outcome.digest == outcome.expected
    return f"""## Autoscaling

KEDA was not run, nor was Kubernetes. What follows is their rules ([autoscaler.py](../tests/services/autoscaler.py))
with the values of the ScaledObject as `kubectl kustomize k8s/overlays/keda` builds it: a question every
{rule.polling} s, a round of the horizontal autoscaler every 15 s, fewer workers only {rule.down.window} s after fewer
are wanted, none {rule.cooldown} s after none is. Asked is the real dashboard, with a token of scope read; started and
ended are real worker processes. Times are not scaled. The grace period is {_GRACE:.0f} s, so that one can be killed:
the worker that is suspended in its sweep and not let go on. `tests/faults/test_scaling.py` plays the same 30 times as
fast in each `make test-all`, and checks every decision.

{transcript}"""


def play_upgrade(servers: Servers, folder: Path) -> str:
    """From an older commit."""
    transcript = Transcript()
    with Cluster(servers.postgres, servers.rabbitmq, servers.redis, f"{folder}/store", migrated=False) as cluster:
        expected, digest = upgrade.play(cluster, folder, upgrade.OLD, say=transcript.say)
    assert digest == expected
    return f"""## Rolling upgrade

From commit {upgrade.OLD}, the first one with the whole cluster, to the version of this page: the steps of
[kubernetes.md](kubernetes.md#upgrades), with processes in place of pods. No table was changed in between.

{transcript}"""


def play_restore(servers: Servers, folder: Path) -> str:
    """With objects in SeaweedFS."""
    transcript, reference = Transcript(), make_reference(folder)
    with SeaweedFS() as seaweedfs:
        seaweedfs.start()
        os.environ |= seaweedfs.environment

        def make_cluster() -> Cluster:
            return Cluster(servers.postgres, servers.rabbitmq, servers.redis, seaweedfs.url, seaweedfs.environment)

        transcript.say(f"fit ends with digest {reference.digest[:12]}")
        digest = restore.play(make_cluster, reference, folder, f"{seaweedfs.url}/backup", say=transcript.say)
    assert digest == reference.digest
    return f"""## Backup and restore

The commands of [kubernetes.md](kubernetes.md#backup-and-restore), read from that page, with PostgreSQL's own programs
and the `aws` of Amazon on SeaweedFS; those for Kubernetes are done to processes. The backup is made while the run goes
on. `tests/faults/test_restore.py` plays the same in each `make test-all`, with objects in a folder.

{transcript}"""


_PARTS: dict[str, Callable[[Servers, Path], str]] = {
    "autoscaling": play_autoscaling,
    "upgrade": play_upgrade,
    "restore": play_restore,
}

_TEXT = """# Drills

Operations played on real servers (RabbitMQ, Redis, PostgreSQL) with real masters and workers, all on one machine
({machine}). Written by `make drills`, which ends with an error if a run's digest is not that
of `disnplbm fit`. The numbers are seconds.

{sections}
"""


def main() -> None:
    """Play all parts, or those named."""
    parser = argparse.ArgumentParser(prog="benchmarks.drills", description=__doc__)
    parser.add_argument("part", nargs="*", choices=[[], *_PARTS])
    names = parser.parse_args().part or list(_PARTS)
    if "restore" in names and shutil.which("aws") is None:
        raise SystemExit("the restore needs Amazon's `aws`: install the package awscli, or name the other parts")
    sections = []
    with Servers.started() as servers:
        for name in names:
            folder = servers.folder / name
            folder.mkdir()
            sections.append(_PARTS[name](servers, folder))
    if set(names) == set(_PARTS):
        machine = f"{processor()}, {usable_cores()} cores"
        _PAGE.write_text(_TEXT.format(machine=machine, sections="\n\n".join(sections)), encoding="utf-8")


if __name__ == "__main__":
    main()
