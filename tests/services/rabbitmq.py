"""RabbitMQ, with an Erlang port mapper of its own."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from kombu import Connection

from services.process import Server, ServerError, find_program, free_port

_PLACES = [
    *sorted(Path("/usr/lib/rabbitmq/lib").glob("rabbitmq_server-*/sbin"), reverse=True),
    Path("/opt/homebrew/sbin"),
]


class _PortMapper(Server):
    """Erlang's port mapper. A node that finds none starts one that outlives it."""

    name = "epmd"
    install = "make system, or on Debian: sudo apt-get install rabbitmq-server"

    def __init__(self) -> None:
        super().__init__()
        self.port = free_port()

    @property
    def process_environment(self) -> dict[str, str]:
        return {**os.environ, "ERL_EPMD_PORT": str(self.port), "ERL_EPMD_ADDRESS": "127.0.0.1"}

    def command(self) -> list[str]:
        return [find_program("epmd", [], self.name, self.install)]

    def check(self) -> None:
        subprocess.run([*self.command(), "-names"], env=self.process_environment, check=True, capture_output=True)


class RabbitMQ(Server):
    """One node, user guest, on this machine only, that never blocks a publisher for want of memory or disk."""

    name = "RabbitMQ"
    install = "make system, or on Debian: sudo apt-get install rabbitmq-server"

    def __init__(self) -> None:
        super().__init__()
        self.port = free_port()
        self._distribution_port = free_port()
        self._mapper = _PortMapper()

    @property
    def url(self) -> str:
        """Address of the default virtual host."""
        return f"amqp://guest:guest@127.0.0.1:{self.port}//"

    def queues(self) -> dict[str, int]:
        """Messages of each queue that no consumer holds; exact, which ``rabbitmqctl`` is for seconds not."""
        return {row["name"]: self.waiting(row["name"]) for row in self.listing("queues", "name")}

    def listing(self, what: str, *columns: str) -> list[dict[str, Any]]:
        """What ``rabbitmqctl list_WHAT`` says, such as queues, connections, channels or consumers."""
        answer = self.control(f"list_{what}", *columns, "--formatter", "json", "--silent")
        rows: list[dict[str, Any]] = json.loads(answer or "[]")
        return rows

    def control(self, *arguments: str) -> str:
        """Run ``rabbitmqctl`` on this node and return what it prints."""
        done = subprocess.run(
            [self._program("rabbitmqctl"), "--node", self._node, *arguments],
            env=self.process_environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise ServerError(f"rabbitmqctl {' '.join(arguments)} failed: {done.stderr or done.stdout}")
        return done.stdout

    def waiting(self, queue: str) -> int:
        """Messages of one queue that no consumer holds; ServerError if there is no such queue."""
        with Connection(self.url, connect_timeout=5) as connection:
            try:
                return int(connection.default_channel.queue_declare(queue, passive=True).message_count)
            except connection.channel_errors as error:
                raise ServerError(f"there is no queue {queue}") from error

    @property
    def process_environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("RABBITMQ_")}
        return kept | {
            "HOME": str(self.folder),
            "ERL_EPMD_PORT": str(self._mapper.port),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": self._node,
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(self._distribution_port),
            "RABBITMQ_CONF_ENV_FILE": str(self.folder / "none.conf"),
            "RABBITMQ_CONFIG_FILE": str(self.folder / "rabbitmq.conf"),
            "RABBITMQ_ADVANCED_CONFIG_FILE": str(self.folder / "none.config"),
            "RABBITMQ_GENERATED_CONFIG_DIR": str(self.folder / "config"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "enabled_plugins"),
            "RABBITMQ_PLUGINS_EXPAND_DIR": str(self.folder / "plugins"),
            "RABBITMQ_MNESIA_BASE": str(self.folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(self.folder / "log"),
            "RABBITMQ_LOGS": "-",
            "RABBITMQ_PID_FILE": str(self.folder / "pid"),
            # Idle schedulers that spin would take the time of everything else on a small machine.
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+sbwt none +sbwtdcpu none +sbwtdio none"
            " -kernel inet_dist_use_interface {127,0,0,1}",
            # The server script becomes the node, rather than to wait for it.
            "RUNNING_UNDER_SYSTEMD": "true",
        }

    def prepare(self) -> None:
        self._mapper.start()
        (self.folder / "enabled_plugins").write_text("[].\n")
        (self.folder / "rabbitmq.conf").write_text(
            "vm_memory_high_watermark.absolute = 1000GB\ndisk_free_limit.absolute = 1MB\nlog.console.level = warning\n"
        )

    def command(self) -> list[str]:
        return [self._program("rabbitmq-server")]

    def check(self) -> None:
        with Connection(self.url, connect_timeout=5) as connection:
            connection.connect()

    def kill(self) -> None:
        super().kill()
        self._mapper.kill()

    def close(self) -> None:
        super().close()
        self._mapper.close()

    @property
    def _node(self) -> str:
        return f"disnplbm{self.port}@localhost"

    def _program(self, name: str) -> str:
        return find_program(name, _PLACES, self.name, self.install)
