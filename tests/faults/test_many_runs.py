"""Two hundred runs, one batch after another: what they leave behind does not grow."""

from __future__ import annotations

from pathlib import Path

import pytest
import redis
from sqlalchemy import func, select

from disnplbm.engine.options import Options
from disnplbm.runs.database.models import Base, Event
from disnplbm.runs.request import Request
from faults.waiting import until
from services.cluster import Cluster, Member
from services.memory import resident_bytes
from services.tables import wine

#: Runs at a time, and how many times.
BATCH, BATCHES = 25, 8

#: Of the database, of which a member may have one more open or less at the moment; far fewer than runs.
CONNECTIONS = 5

OPTIONS = Options(iterations=3, burn_in=1, draws=2)

#: Bytes by which a process may grow over the last 150 of them.
ROOM = 8 * 2**20


@pytest.mark.long
def test_two_hundred_runs_leave_nothing_behind(cluster: Cluster, tmp_path: Path) -> None:
    """No key of Redis, queue, message, row, object, process, thread or file more after 200 runs than after 50."""
    members = [cluster.start_master(), cluster.start_worker()]
    dataset = cluster.service.add_dataset(wine(tmp_path / "wine")).id
    seen, opened, memory, digests = [], [], [], set[str]()
    for _ in range(BATCHES):
        given = Request("wine", "wine", n_shards=2)
        runs = [cluster.service.submit(dataset, given, OPTIONS.to_dict()).id for _ in range(BATCH)]
        digests |= {cluster.outcome(run)["digest"] for run in runs}
        for run in runs:
            cluster.service.delete(run)
        until(cluster, "what they left is cleared", lambda: not cluster.store.list("runs"))
        until(cluster, "no message waits", lambda: not any(cluster.rabbitmq.queues().values()))
        seen.append(leftovers(cluster, members))
        opened.append([count for member in members for count in (entries(member, "task"), entries(member, "fd"))])
        memory.append({member.name: resident_bytes(member) for member in members})
    assert len(digests) == 1
    assert all(there == seen[1] for there in seen[2:]), seen
    for before, there in zip(opened[1], opened[-1], strict=True):
        assert there <= before + CONNECTIONS, opened
    print(memory)
    for member in members:
        assert memory[-1][member.name] - memory[1][member.name] < ROOM, memory


def leftovers(cluster: Cluster, members: list[Member]) -> dict[str, object]:
    """What there is: events, which outlive their runs, are left out."""
    client = redis.Redis.from_url(cluster.redis_server.url)
    with cluster.database.reading() as session:
        rows = {
            table.name: session.scalar(select(func.count()).select_from(table))
            for table in Base.metadata.sorted_tables
            if table.name != Event.__tablename__
        }
    return {
        # Keys that go by themselves are of the last minutes.
        "keys": sorted(str(key) for key in client.scan_iter() if client.ttl(key) == -1),
        "queues": cluster.rabbitmq.queues(),
        "rows": rows,
        "objects": cluster.store.list(),
        "processes": {member.name: len(member.children()) for member in members},
    }


def entries(member: Member, folder: str) -> int:
    """Threads or open files of a member."""
    return len(list(Path(f"/proc/{member.pid}/{folder}").iterdir()))
