"""The real servers that the tests use, for benchmarks."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from services.cluster import Cluster, Member
from services.postgres import Postgres
from services.rabbitmq import RabbitMQ
from services.redis import RedisServer


@dataclass(frozen=True)
class Servers:
    """Servers that run, and a folder for objects and tables."""

    postgres: Postgres
    rabbitmq: RabbitMQ
    redis: RedisServer
    folder: Path

    @classmethod
    @contextmanager
    def started(cls, *, fsync: bool = False) -> Iterator[Servers]:
        """Start them, and make the folder; both are gone when the block is left.

        Parameters
        ----------
        fsync : bool
            As :class:`services.postgres.Postgres` has it.
        """
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="disnplbm-bench-")))
            servers = Postgres(fsync=fsync), RabbitMQ(), RedisServer()
            yield cls(*(stack.enter_context(server).start() for server in servers), folder)

    def cluster(self) -> Cluster:
        """A cluster without members."""
        return Cluster(self.postgres, self.rabbitmq, self.redis, f"{self.folder}/store")

    def pids(self, master: Member, workers: Iterable[Member]) -> dict[str, int]:
        """The processes of a run by name: servers, a master, each worker."""
        servers = {server.name: server.pid for server in (self.rabbitmq, self.postgres, self.redis)}
        numbered = {f"worker {number}": worker.pid for number, worker in enumerate(workers, 1)}
        return servers | {"master": master.pid} | numbered
