"""Files of a run from a server; a connection that breaks off goes on where it was."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO

from disnplbm.client.connection import Connection, Dropped, read
from disnplbm.errors import RunError
from disnplbm.files import whole_file

_PIECE_BYTES = 2**18


def receive(connection: Connection, where: str, size: int, target: Path, told: Callable[[int], None]) -> None:
    """Download one file, which appears whole or not at all.

    Parameters
    ----------
    where : str
        Its path below the API.
    size : int
        In bytes.
    told : callable
        Called with the bytes that came.

    Raises
    ------
    RunError
        The server is away, sends something else, or the file cannot be written.
    """
    with whole_file(target, "wb") as file:
        done = 0
        while done < size:
            # What came before a break is kept, and with it the patience for the next one.
            done = connection.retry(partial(_receive_some, connection, where, size, file, done, told))


def _receive_some(
    connection: Connection, where: str, size: int, file: IO[bytes], done: int, told: Callable[[int], None]
) -> int:
    """What comes of a file from a byte on, until its end or until the connection breaks off: bytes so far."""
    begun = done
    with connection.open("GET", where, None, {"Range": f"bytes={done}-"}) as answer:
        if answer.headers.get("Content-Range") != f"bytes {done}-{size - 1}/{size}":
            raise RunError(f"{where.rpartition('/')[2]} is not what {connection.url} said: download the run again")
        try:
            while piece := read(answer, _PIECE_BYTES):
                file.write(piece)
                done += len(piece)
                told(done)
        except Dropped:
            if done == begun:
                raise
    if done == begun:
        raise Dropped("the connection broke off")
    return done
