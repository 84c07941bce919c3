"""A server as a group of child processes that can be stopped, killed, suspended and started again with its data."""

from __future__ import annotations

import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

START_SECONDS = 180.0
"""Longest wait for a server; machines are shared, and slow ones exist."""

STOP_SECONDS = 60.0
"""Longest wait for a clean end, before the server is killed."""

TAIL_LINES = 25
"""Lines of a server's log that a failed start shows."""

_handed_out: set[int] = set()


class ServerError(RuntimeError):
    """A server is not installed, or did not start."""


class Server:
    """One real server on 127.0.0.1, in a temporary folder of its own.

    Ports and data stay the same over `stop`, `kill` and `start`. A subclass says how the server is called
    (`command`), what it is set up with (`prepare`) and when it answers (`check`).
    """

    name: str
    install: str
    """The line that installs it."""
    stop_signal = signal.SIGTERM

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=f"disnplbm-{self.name}-"))
        # A server that runs as another user must be able to walk through.
        self.folder.chmod(0o711)
        self.log = self.folder / "server.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._watcher: subprocess.Popen[bytes] | None = None

    def prepare(self) -> None:
        """Write configuration and first data; called before each start."""

    def command(self) -> list[str]:
        """The command line that runs the server in the foreground."""
        raise NotImplementedError

    def check(self) -> None:
        """Talk to the server; raises while it does not answer."""
        raise NotImplementedError

    @property
    def process_environment(self) -> dict[str, str]:
        """The environment that the server runs in."""
        return dict(os.environ)

    @property
    def user(self) -> str | None:
        """Who the server runs as, if not as who runs the tests."""
        return None

    @property
    def pid(self) -> int:
        """Its first process."""
        assert self._process is not None
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether its first process lives, suspended or not."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> Self:
        """Start the server on its data and wait until it answers; nothing happens where it runs already.

        Raises
        ------
        ServerError
            It is not installed, ended by itself, or did not answer; with the tail of its log.
        """
        if self.running:
            return self
        try:
            self.prepare()
            self._launch()
            self._wait()
        except BaseException:
            self.kill()
            raise
        return self

    def stop(self) -> None:
        """End the server in its own clean way, and wait for the end."""
        if self.running:
            assert self._process is not None
            self.resume()
            self._process.send_signal(self.stop_signal)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(STOP_SECONDS)
        self.kill()

    def kill(self) -> None:
        """End all its processes at once, with no chance to write anything."""
        if self._process is not None:
            self._signal(signal.SIGKILL)
            self._process.wait()
            self._process = None
        if self._watcher is not None:
            self._watcher.kill()
            self._watcher.communicate()
            self._watcher = None

    def restart(self) -> None:
        """Stop cleanly and start again."""
        self.stop()
        self.start()

    def suspend(self) -> None:
        """Freeze all its processes: connections stay open, nothing answers."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let frozen processes go on."""
        self._signal(signal.SIGCONT)

    def close(self) -> None:
        """End the server and delete its data."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _launch(self) -> None:
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self.command(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self.process_environment,
                cwd=self.folder,
                start_new_session=True,
                **unprivileged(self.user),
            )
        # Ends the group and deletes its data when the tests end in any way: then the pipe that it reads closes.
        self._watcher = subprocess.Popen(
            ["sh", "-c", 'read -r _; kill -s KILL -- "-$1"; rm -rf "$2"', "sh", str(self._process.pid), self.folder],
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def _wait(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while True:
            if not self.running:
                raise ServerError(f"{self.name} ended by itself; the end of its log:\n{self._tail()}")
            try:
                return self.check()
            except Exception as error:
                if time.monotonic() > deadline:
                    raise ServerError(
                        f"{self.name} does not answer after {START_SECONDS:.0f} s ({error}); the end of its log:\n"
                        f"{self._tail()}"
                    ) from error
            time.sleep(0.1)

    def _tail(self) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-TAIL_LINES:])

    def _signal(self, number: signal.Signals) -> None:
        """Send a signal to the first process and all that descend from it, whatever group they are in."""
        if self._process is None:
            return
        for process in [self._process.pid, *_descendants(self._process.pid)]:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                continue


def unprivileged(user: str | None) -> dict[str, object]:
    """Arguments of `subprocess` that run a command as another user; none for None."""
    if user is None:
        return {}
    return {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}


def find_program(name: str, places: list[Path], server: str, install: str) -> str:
    """The path of a program, looked for in these folders first; ServerError with the line that installs it."""
    for place in places:
        if os.access(place / name, os.X_OK):
            return str(place / name)
    found = shutil.which(name)
    if found is None:
        raise ServerError(f"{server} is not installed ({name} is missing): run `{install}`")
    return found


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody uses, below those that the system gives to connections.

    So no connection takes it while its server is down.
    """
    while True:
        port = random.SystemRandom().randrange(10240, 32000)
        if port in _handed_out:
            continue
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        _handed_out.add(port)
        return port


def _descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            # The name, in parentheses, may hold anything; the parent is the second field after it.
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    found: list[int] = []
    waiting = [root]
    while waiting:
        mine = children.get(waiting.pop(), [])
        found += mine
        waiting += mine
    return found
