"""Restore drill: a run that is half done is backed up and destroyed with all its servers hold, and goes on elsewhere.

The commands are read from docs/kubernetes.md. What they say to Kubernetes is done to processes.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from disnplbm.errors import RunError
from disnplbm.objects.store import ObjectStore, open_store
from faults.reference import Reference
from services.cluster import Cluster, environment_with

PAGE = Path(__file__).resolve().parents[2] / "docs/kubernetes.md"

#: What the page calls the bucket, and the place for its copy.
BUCKET, BACKUP = "s3://BUCKET/disnplbm", "s3://BACKUP/disnplbm"

#: Iterations of the run when it is backed up, and when it is destroyed; its checkpoints stay every tenth.
BACKED_UP, DESTROYED = 13, 20


def documented() -> tuple[list[str], list[str]]:
    """The page's commands, in its order: those that back up, and those that restore.

    Raises
    ------
    ValueError
        The section is not as this drill knows it.
    """
    _, _, rest = PAGE.read_text(encoding="utf-8").partition("\n## Backup and restore\n")
    section = rest.partition("\n## ")[0]
    blocks = [
        [line.partition(" # ")[0].strip() for line in block.strip().splitlines()]
        for block in re.findall(r"(?:^ {4}\S.*\n?)+", section, re.MULTILINE)
    ]
    backups = [block for block in blocks if block[0].startswith("pg_dump ")]
    restores = [block for block in blocks if any(line.startswith("pg_restore ") for line in block)]
    if len(backups) != 1 or len(restores) != 1:
        raise ValueError(f"{PAGE} has no longer one block of commands to back up, and one to restore")
    return backups[0], restores[0]


def play(
    make_cluster: Callable[[], Cluster], reference: Reference, folder: Path, backup: str, *, say: Callable[[str], None]
) -> str:
    """Play it.

    Parameters
    ----------
    make_cluster : callable
        A cluster without members, on a database and in a place for objects of its own.
    reference : Reference
        The run.
    folder : Path
        For the dump.
    backup : str
        Where the copies of objects go, as DISNPLBM_STORE_URL would say it.
    say : callable
        Told what happens, in lines.

    Returns
    -------
    str
        Digest of the labels and the trace that the run ends with.
    """
    backing_up, restoring = documented()
    with make_cluster() as cluster:
        members(cluster)
        run = reference.under_way(cluster, BACKED_UP)
        say(f"a run at iteration {cluster.service.progress(run).done} of {reference.options.iterations}")
        for line in backing_up:
            _command(line, cluster, folder, backup, say)
        cluster.wait(run, iteration=DESTROYED)
        say(f"the run has come to iteration {cluster.service.progress(run).done}")
        for member in (*cluster.masters, *cluster.workers):
            member.kill()
        _destroy(cluster)
    # With it go all queues, and all that Redis knows.
    say("all killed; database, objects, queues and keys of Redis deleted")
    with make_cluster() as cluster:
        *restore, start = restoring
        for line in restore:
            _command(line, cluster, folder, backup, say)
        say(f"the run is at iteration {cluster.service.progress(run).done}, {cluster.service.run(run).state}")
        # Before the members start: they may go on with the run by themselves, and end it.
        _disnplbm("pause", run, cluster, folder, say)
        _command(start, cluster, folder, backup, say)
        _disnplbm("resume", run, cluster, folder, say)
        digest = str(cluster.outcome(run)["digest"])
        for event in cluster.service.events(run):
            if event.kind == "rewound":
                say(
                    f"the master took it from iteration {event.data['from']} back to {event.data['to']}: {event.reason}"
                )
        say(f"it ends with digest {digest[:12]}")
    return digest


def members(cluster: Cluster) -> None:
    """A master and two workers."""
    cluster.start_master()
    cluster.start_worker()
    cluster.start_worker()


def mirrored(source: ObjectStore, target: ObjectStore, *, delete: bool) -> None:
    """Copy all objects, as ``aws s3 sync`` does; ``delete`` removes from the target what the source does not have."""
    keys = set(source.list(""))
    for key in sorted(keys):
        # A run goes on meanwhile, and what it needs no more is removed.
        with suppress(RunError):
            target.put(key, source.get(key))
    if delete:
        target.delete([key for key in target.list("") if key not in keys])


def _command(line: str, cluster: Cluster, folder: Path, backup: str, say: Callable[[str], None]) -> None:
    """Do what a line of the page says."""
    say(f"$ {line}")
    words = shlex.split(line)
    if words[0] in ("pg_dump", "pg_restore"):
        _run(["sh", "-c", line], cluster, folder)
    elif words[:3] == ["aws", "s3", "sync"]:
        urls = {BUCKET: cluster.environment["DISNPLBM_STORE_URL"], BACKUP: backup}
        source, target = (urls[word] for word in words[-2:])
        if source.startswith("s3://") and target.startswith("s3://"):
            _run([*words[:-2], "--only-show-errors", source, target], cluster, folder)
        else:
            mirrored(open_store(source), open_store(target), delete="--delete" in words)
    elif "scale" in words:
        # There is nobody yet.
        assert not cluster.masters + cluster.workers
    elif "apply" in words:
        _run([_program("disnplbm"), "migrate"], cluster, folder)
        members(cluster)
    else:
        raise ValueError(f"{PAGE} has a command that this drill cannot do: {line}")


def _disnplbm(command: str, run: str, cluster: Cluster, folder: Path, say: Callable[[str], None]) -> None:
    """Run a command of ours on a run."""
    say(f"$ disnplbm {command} RUN")
    _run([_program("disnplbm"), command, run], cluster, folder)


def _run(command: list[str], cluster: Cluster, folder: Path) -> None:
    """Run a command as it would be run beside the cluster; AssertionError with what it says if it fails."""
    environment = environment_with(cluster.environment)
    environment |= {
        "DATABASE": cluster.environment["DISNPLBM_DATABASE_URL"].replace("postgresql+psycopg:", "postgresql:")
    }
    environment |= {name: value for name, value in os.environ.items() if name.startswith("AWS_")}
    done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command[0]} ended with code {done.returncode}: {done.stderr or done.stdout}"


def _destroy(cluster: Cluster) -> None:
    """Delete the database and the objects of a cluster."""
    cluster.database.close()
    name = cluster.environment["DISNPLBM_DATABASE_URL"].rpartition("/")[2]
    cluster.postgres.execute(f"DROP DATABASE {name} WITH (FORCE)")
    cluster.store.delete(cluster.store.list(""))
    assert not cluster.store.list("")


def _program(name: str) -> str:
    return str(Path(sys.executable).with_name(name))
