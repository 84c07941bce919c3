"""A file to a server in parts; what was sent before, by whichever process, is not sent again."""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from disnplbm.client.connection import LONGEST_PAUSE, Connection, Refused
from disnplbm.client.runs import Stages
from disnplbm.errors import InputError
from disnplbm.objects.uploads import explain_unreadable

_PIECE_BYTES = 2**18

#: What the server says while the same is under way already.
_CONFLICT = 409

#: What it says of a file that is not the one that was announced.
_AT_FAULT = 422


def send(connection: Connection, path: Path, reading: Mapping[str, Any], stages: Stages) -> str:
    """Have a server hold a file, of which it may hold some parts already, or all.

    Parameters
    ----------
    reading : mapping
        How the file is read: what :meth:`disnplbm.data.reading.Reading.to_dict` wrote.

    Returns
    -------
    str
        The id of the dataset.

    Raises
    ------
    InputError
        The file cannot be read, changed meanwhile, or is refused.
    RunError
        The server is away, or failed at it.
    """
    size, sha256 = _digest(path, stages)
    announced = {"name": path.name, "bytes": size, "sha256": sha256, **reading}
    # The same for the same file, so that who was killed goes on where it was.
    key = hashlib.sha256(json.dumps(announced, sort_keys=True).encode()).hexdigest()
    dataset = create(connection, "/datasets", announced, key)
    if dataset["state"] == "FAILED":
        dataset = create(connection, "/datasets", announced, secrets.token_hex())
    if dataset["state"] == "UPLOADING":
        _send_parts(connection, path, dataset, stages)
        _complete(connection, dataset["id"], sha256)
    stages("uploading", size, size)
    return str(dataset["id"])


def create(connection: Connection, path: str, body: Any, key: str) -> Any:
    """Create something once, however often the connection breaks off meanwhile.

    Parameters
    ----------
    key : str
        A creation of the same key is the same creation.
    """
    return _unless_under_way(lambda: connection.ask("POST", path, body, {"Idempotency-Key": key}))


def _send_parts(connection: Connection, path: Path, dataset: Any, stages: Stages) -> None:
    """Send the parts that the server lacks."""
    parts = connection.ask("GET", f"/datasets/{dataset['id']}/parts")
    size, part, present = int(dataset["bytes"]), int(parts["part_bytes"]), set(parts["present"])
    done = sum(min(part, size - number * part) for number in present)
    stages("uploading", done, size)
    for number in range(int(parts["parts"])):
        if number in present:
            continue
        length = min(part, size - number * part)
        where = f"/datasets/{dataset['id']}/parts/{number}"
        told = partial(_tell, stages, done, size)
        connection.retry(partial(_send_part, connection, where, path, number * part, length, told))
        done += length


def _send_part(
    connection: Connection, where: str, path: Path, first: int, length: int, told: Callable[[int], None]
) -> None:
    headers = {"Content-Type": "application/octet-stream", "Content-Length": str(length)}
    connection.open("PUT", where, _pieces(path, first, length, told), headers).close()


def _tell(stages: Stages, before: int, total: int, sent: int) -> None:
    stages("uploading", before + sent, total)


def _pieces(path: Path, first: int, length: int, told: Callable[[int], None]) -> Iterator[bytes]:
    """A stretch of a file, piece by piece."""
    sent = 0
    with explain_unreadable(path), path.open("rb") as file:
        file.seek(first)
        while sent < length:
            piece = file.read(min(_PIECE_BYTES, length - sent))
            if not piece:
                raise InputError(f"{path} became shorter while it was sent: submit it again")
            yield piece
            sent += len(piece)
            told(sent)


def _complete(connection: Connection, dataset: str, sha256: str) -> None:
    """Have the server put the parts together, and wait for it."""
    try:
        _unless_under_way(lambda: connection.ask("POST", f"/datasets/{dataset}/complete", {"sha256": sha256}))
    except Refused as refused:
        if refused.status != _AT_FAULT:
            raise
        # Some part is not what it should be, and nobody knows which: the next try begins anew.
        connection.ask("DELETE", f"/datasets/{dataset}")
        raise


def _unless_under_way(attempt: Callable[[], Any]) -> Any:
    """Repeat what the server says is under way already, for another request of ours that it heard and we did not."""
    while True:
        try:
            return attempt()
        except Refused as refused:
            if refused.status != _CONFLICT:
                raise
        time.sleep(LONGEST_PAUSE / 5)


def _digest(path: Path, stages: Stages) -> tuple[int, str]:
    """Length and sha256 of a file."""
    digest, done = hashlib.sha256(), 0
    with explain_unreadable(path), path.open("rb") as file:
        total = path.stat().st_size
        while piece := file.read(2**20):
            digest.update(piece)
            done += len(piece)
            stages("checking", done, max(done, total))
    return done, digest.hexdigest()
