"""A whole cluster on real servers: masters and workers as processes, and a client in the test."""

from __future__ import annotations

import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import redis
from kombu import Connection

from disnplbm.engine.options import Options
from disnplbm.messaging import queues
from disnplbm.objects.store import ObjectStore, open_store
from disnplbm.runs.database import Database
from disnplbm.runs.records import RunRecord
from disnplbm.runs.request import Request
from disnplbm.runs.service import RunService
from services.postgres import Postgres
from services.process import Server
from services.rabbitmq import RabbitMQ
from services.redis import RedisServer

#: Longest wait for a run; machines are shared, and slow ones exist.
WAIT_SECONDS = 240.0

REQUEST = Request("table", "table")


def environment_with(settings: Mapping[str, str]) -> dict[str, str]:
    """This environment without the settings of the product and of AWS that it has, and with these."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DISNPLBM_", "AWS_"))}
    return {**kept, **settings}


#: Among the words of the command that reads a worker's files.
_READS = "disnplbm_worker.files"


def _words(process: int) -> list[str]:
    """The command of a process; none when it is gone."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{process}/cmdline").read_text().split("\0")
    return []


class Member(Server):
    """A master or a worker."""

    install = "make .venv/.dev"

    def __init__(self, role: str, environment: dict[str, str]) -> None:
        self.name = role
        super().__init__()
        self._environment = environment

    @property
    def process_environment(self) -> dict[str, str]:
        return environment_with(self._environment)

    def command(self) -> list[str]:
        return [str(Path(sys.executable).with_name("disnplbm")), self.name]

    def check(self) -> None:
        """It has no port; what it does shows in the runs."""

    def leave(self, grace: float) -> int | None:
        """End it as Kubernetes does: told to stop, and killed if it has not gone when its grace period is over.

        Parameters
        ----------
        grace : float
            In seconds.

        Returns
        -------
        int or None
            Its exit code; None if it had to be killed.
        """
        self.tell(self.stop_signal)
        code = self.ended(grace)
        self.kill()
        return code

    def tell(self, number: signal.Signals) -> None:
        """Send a signal to its first process."""
        os.kill(self.pid, number)

    def ended(self, seconds: float) -> int | None:
        """Its exit code, if it ends within so many seconds."""
        assert self._process is not None
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def children(self) -> list[int]:
        """The processes that it started; none when it has gone itself."""
        with suppress(FileNotFoundError, ProcessLookupError):
            found = Path("/proc").glob(f"{self.pid}/task/*/children")
            return [int(part) for children in found for part in children.read_text().split()]
        return []

    def sweeping(self) -> list[int]:
        """The process of a worker that sweeps; none while another is started."""
        return [child for child in self.children() if _READS not in _words(child)]

    def reading(self) -> list[int]:
        """The process of a worker that has files read; none while another is started."""
        return [child for child in self.children() if _READS in _words(child)]


class Cluster:
    """Servers in use by one test, with a database, a queue state and objects of its own.

    Parameters
    ----------
    postgres, rabbitmq, redis_server
        Running servers.
    store_url : str
        Objects lie under a fresh prefix of it.
    environment : dict
        More variables, for every process.
    migrated : bool
        Whether the database has its tables from the start.
    """

    def __init__(
        self,
        postgres: Postgres,
        rabbitmq: RabbitMQ,
        redis_server: RedisServer,
        store_url: str,
        environment: dict[str, str] | None = None,
        *,
        migrated: bool = True,
    ) -> None:
        self._stack = ExitStack()
        self.rabbitmq, self.redis_server, self.postgres = rabbitmq, redis_server, postgres
        self.scratch = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="disnplbm-cluster-")))
        self.environment = {
            "DISNPLBM_DATABASE_URL": postgres.create_database(),
            "DISNPLBM_STORE_URL": f"{store_url}/{secrets.token_hex(6)}",
            "DISNPLBM_BROKER_URL": rabbitmq.url,
            "DISNPLBM_REDIS_URL": redis_server.url,
            "DISNPLBM_RECONCILE_SECONDS": "0.5",
            "DISNPLBM_TASK_SECONDS": "60",
            "DISNPLBM_GRACE_SECONDS": "5",
            **(environment or {}),
        }
        self.masters: list[Member] = []
        self.workers: list[Member] = []
        self.database = Database(self.environment["DISNPLBM_DATABASE_URL"])
        if migrated:
            self.database.migrate()
        self.store: ObjectStore = open_store(self.environment["DISNPLBM_STORE_URL"])
        self.service = RunService(self.database, self.store)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._stack.close()
        self.database.close()
        with Connection(self.rabbitmq.url) as connection:
            for queue in queues.ALL:
                queue.bind(connection.default_channel).delete()
        redis.Redis.from_url(self.redis_server.url).flushdb()

    def start_master(self, **environment: str) -> Member:
        """Start one more master; the first is the active one."""
        return self._start("master", self.masters, environment)

    def start_worker(self, **environment: str) -> Member:
        """Start one more worker, with a cache of its own."""
        cache = {"DISNPLBM_CACHE_FOLDER": str(self.scratch / f"cache-{secrets.token_hex(4)}")}
        return self._start("worker", self.workers, cache | environment)

    def submit(self, path: Path, options: Options, **request: Any) -> str:
        """Upload a table and submit a run of it; its id."""
        dataset = self.service.add_dataset(path, actor="test")
        record = replace(REQUEST, **{"name": path.name, "path": str(path)} | request)
        return self.service.submit(dataset.id, record, options.to_dict(), actor="test").id

    def wait(self, run: str, *states: str, iteration: int = 0, seconds: float = WAIT_SECONDS) -> RunRecord:
        """Wait until a run is in one of some states, or its chains did so many iterations together.

        Raises
        ------
        AssertionError
            It took too long, or the run came into another state that it stays in; with the ends of the logs.
        """
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            record = self.service.run(run)
            if record.state in states or (iteration and self.service.progress(run).done >= iteration):
                return record
            if record.state in ("FAILED", "CANCELLED", "SUCCEEDED"):
                raise AssertionError(f"run {run} is {record.state}: {record.error}\n{self.logs()}")
            time.sleep(0.05)
        raise AssertionError(f"run {run} is still {record.state} after {seconds} s\n{self.logs()}")

    def outcome(self, run: str) -> dict[str, Any]:
        """Wait for the end of a run and return what its run.json says."""
        self.wait(run, "SUCCEEDED")
        record: dict[str, Any] = json.loads(bytes(self.store.get(f"runs/{run}/results/run.json")))
        return record

    def logs(self, lines: int = 30) -> str:
        """The ends of all logs."""
        return "\n".join(
            f"--- {member.name} {member.log}\n"
            + "\n".join(line[:400] for line in member.log.read_text(errors="replace").splitlines()[-lines:])
            for member in (*self.masters, *self.workers)
            if member.log.exists()
        )

    def _start(self, role: str, members: list[Member], environment: dict[str, str]) -> Member:
        member = Member(role, self.environment | environment)
        self._stack.callback(member.close)
        members.append(member)
        member.start()
        return member
