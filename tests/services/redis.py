"""Redis."""

from __future__ import annotations

from redis import Redis

from services.process import Server, find_program, free_port


class RedisServer(Server):
    """Writes every change to its append-only file before it answers."""

    name = "Redis"
    install = "make system, or on Debian: sudo apt-get install redis-server"

    def __init__(self) -> None:
        super().__init__()
        self.port = free_port()

    @property
    def url(self) -> str:
        """Address of database 0."""
        return f"redis://127.0.0.1:{self.port}/0"

    def command(self) -> list[str]:
        program = find_program("redis-server", [], self.name, self.install)
        options = {"port": self.port, "bind": "127.0.0.1", "dir": self.folder, "appendonly": "yes", "save": ""}
        return [program, *(text for name, value in options.items() for text in (f"--{name}", str(value)))]

    def check(self) -> None:
        with Redis.from_url(self.url, socket_timeout=5) as client:
            client.ping()
