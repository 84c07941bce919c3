"""What many iterations leave behind: keys, queues, channels, rows, memory; before, in the middle and after."""

from __future__ import annotations

import redis as redis_client
from sqlalchemy import create_engine, text

from benchmarks.cluster.processor import resident
from benchmarks.cluster.servers import Cluster, Servers
from benchmarks.tables import table
from disnplbm.data.synthetic import generate
from disnplbm.engine.options import Options
from services.cluster import Member

ITERATIONS, SHARDS, WORKERS = 500, 16, 2

_TABLES = ("ledger", "iterations", "checkpoints", "failures", "draws", "events", "jobs")


def section(servers: Servers) -> str:
    """The same counts at three times of one run, and once it is over."""
    data = servers.folder / "load"
    generate(data, rows=3200, columns=30, row_clusters=5, column_clusters=3, seed=0)
    with servers.cluster() as cluster:
        cluster.start_master()
        for _ in range(WORKERS):
            cluster.start_worker()
        run = cluster.submit(data / "x.npy", Options(iterations=ITERATIONS), n_shards=SHARDS)
        counts = {}
        for at in (50, 250, 450):
            cluster.wait(run, iteration=at, seconds=1200)
            counts[f"after {at} iterations"] = _counts(cluster)
        cluster.wait(run, "SUCCEEDED", seconds=1200)
        counts["at the end"] = _counts(cluster)
    names = list(next(iter(counts.values())))
    rows = [(name, *(str(found[name]) for found in counts.values())) for name in names]
    return f"""## What a long run leaves behind

{ITERATIONS} iterations of {SHARDS} shards on {WORKERS} workers.

{table(("", *counts), rows)}"""


def _counts(cluster: Cluster) -> dict[str, int | str]:
    found: dict[str, int | str] = {}
    found["keys in Redis"] = redis_client.Redis.from_url(cluster.redis_server.url).dbsize()
    found["queues"] = len(cluster.rabbitmq.listing("queues", "name"))
    found["messages in queues"] = sum(cluster.rabbitmq.queues().values())
    found["channels"] = len(cluster.rabbitmq.listing("channels", "pid"))
    engine = create_engine(cluster.environment["DISNPLBM_DATABASE_URL"])
    with engine.connect() as connection:
        for name in _TABLES:
            found[f"rows of {name}"] = connection.execute(text(f"SELECT count(*) FROM {name}")).scalar_one()
        size = connection.execute(text("SELECT coalesce(sum(octet_length(payload)), 0) FROM ledger")).scalar_one()
        found["bytes of payloads in the ledger"] = int(size)
    engine.dispose()
    found["objects of the run"] = len(cluster.store.list("runs"))
    for role, members in (("master", cluster.masters), ("worker", cluster.workers)):
        found[f"resident memory, {role}"] = f"{sum(_resident(m) for m in members) / len(members):.0f} MiB"
    return found


def _resident(member: Member) -> float:
    """Of a member and its children, in MiB."""
    return sum(resident(pid) for pid in (member.pid, *member.children())) / 2**20
