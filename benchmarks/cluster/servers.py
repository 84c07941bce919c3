"""The real servers that the tests use, for benchmarks."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from services.cluster import Cluster
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
    def started(cls, stack: ExitStack, folder: Path) -> Servers:
        """Start them; they stop with the stack."""
        kinds = (Postgres, RabbitMQ, RedisServer)
        return cls(*(stack.enter_context(kind()).start() for kind in kinds), folder)

    def cluster(self) -> Cluster:
        """A cluster without members."""
        return Cluster(self.postgres, self.rabbitmq, self.redis, f"{self.folder}/store")
