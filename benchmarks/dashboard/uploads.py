"""A large file to the server: by the command line, killed half way and started again, and from the New run page."""

from __future__ import annotations

import hashlib
import re
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.dashboard.asking import Asking
from benchmarks.dashboard.figures import Sample, counted, growth
from benchmarks.dashboard.ground import Ground
from benchmarks.dashboard.observed import watched
from benchmarks.tables import Figure, figure_table, seconds
from disnplbm.objects.store import open_store
from disnplbm.runs.database import Database, sqlite_url
from disnplbm.runs.partial import UPLOAD_PART_BYTES
from disnplbm.runs.records import DatasetRecord
from disnplbm.runs.service import RunService
from disnplbm_dashboard.place import DATABASE, STORE
from e2e.chromium import chromium
from integration.console import command, quiet
from integration.serving import Server, served

#: Of the file, about.
BYTES = 1_100_000_000

#: The server's memory is flat if it grows by less than a tenth of the file: it has buffers, and no file.
BAR = BYTES // 10

#: Seconds that a client may take for anything.
_PATIENCE = 600.0


class Sent(NamedTuple):
    """An upload: from when to when, in seconds since the epoch, the server's memory, and what came of it."""

    began: float
    ended: float
    samples: Sequence[Sample]
    dataset: DatasetRecord


def section(ground: Ground) -> str:
    """Both ways, each to a server that has just been started."""
    path = ground.folder.parent / "large.npz"
    # Little to read for the run that comes after it, and much to send.
    besides = np.frombuffer(np.random.default_rng(0).bytes(BYTES), np.uint8)
    np.savez(path, x=np.random.default_rng(1).normal(size=(200, 10)), besides=besides)
    del besides
    size, sha256 = path.stat().st_size, _digest(path)
    figures = [*_by_command(ground.folder.parent / "by-command", path, sha256)]
    figures += _by_page(ground.folder.parent / "by-page", path, sha256)
    path.unlink()
    return f"""## Upload of {size / 1e9:.2f} GB

A file of random bytes in parts of {UPLOAD_PART_BYTES / 2**20:.0f} MiB. `disnplbm submit --server`, killed when the
server had half of the parts, and started again; and the same file given to the New run page in Chromium. Memory of the
server is its resident memory, sampled every 20 ms until the dataset was made: the most of it, less what it was before.
The checksum of the object that the server keeps is compared with the file's. All on one machine and one disk.

{figure_table(figures)}"""


def _by_command(folder: Path, path: Path, sha256: str) -> list[Figure]:
    parts = -(-path.stat().st_size // UPLOAD_PART_BYTES)
    with served(folder) as server, watched(server.process.pid) as samples, Asking(server.port) as asking:
        asking.get("/api/v1/runs")
        time.sleep(0.5)
        began = time.time()
        sending = _client(server, path)
        while len(_parts(folder)) < parts // 2:
            assert sending.poll() is None, sending.communicate()
            time.sleep(0.01)
        sending.send_signal(signal.SIGKILL)
        sending.communicate()
        until_killed = time.time() - began
        time.sleep(1.0)
        kept = len(_parts(folder))
        before = _puts(asking)
        again = time.time()
        sending = _client(server, path)
        _, said = sending.communicate(timeout=_PATIENCE)
        assert sending.returncode == 0, said
        sent_again = _puts(asking) - before
        dataset = _dataset(folder)
    to_end = dataset.created_at.timestamp() - again
    figures = [
        Figure("killed", f"after {seconds(until_killed)}, with {kept} of {parts} parts at the server"),
        Figure("resumed", f"{seconds(to_end)} until the dataset was made"),
        Figure(
            "parts sent when it was started again",
            f"{sent_again}",
            f"the {parts - kept} that were missing",
            sent_again == parts - kept,
        ),
    ]
    sent = Sent(began, dataset.created_at.timestamp(), samples, dataset)
    return [*figures, *_outcome("command", folder, sent, sha256)]


def _by_page(folder: Path, path: Path, sha256: str) -> list[Figure]:
    with served(folder) as server, chromium() as browser, watched(server.process.pid) as samples:
        page = browser.new_page()
        page.set_default_timeout(1000 * _PATIENCE)
        page.goto(f"http://127.0.0.1:{server.port}/runs/new")
        page.get_by_label("File with a table").set_input_files(path)
        page.get_by_role("button", name="Upload and check").wait_for()
        time.sleep(0.5)
        began = time.time()
        page.get_by_role("button", name="Upload and check").click()
        page.wait_for_url(re.compile(r"dataset=[0-9a-f]{12}"))
        dataset = _dataset(folder)
    sent = Sent(began, dataset.created_at.timestamp(), samples, dataset)
    took = Figure("page: seconds", f"{seconds(sent.ended - sent.began)} until the dataset was made")
    return [took, *_outcome("page", folder, sent, sha256)]


def _outcome(how: str, folder: Path, sent: Sent, sha256: str) -> list[Figure]:
    """Memory and checksum."""
    before, more = growth(sent.samples, sent.began, sent.ended)
    found = _digest(folder / STORE / sent.dataset.upload_key)
    same = found == sent.dataset.upload_sha256 == sha256
    return [
        Figure(
            f"{how}: memory of the server grew by",
            f"{more / 2**20:.0f} MiB, from {before / 2**20:.0f} MiB",
            f"less than {BAR / 2**20:.0f} MiB",
            more < BAR,
        ),
        Figure(f"{how}: checksum", "the same" if same else "another", "the same", same),
    ]


def _client(server: Server, path: Path) -> subprocess.Popen[str]:
    """The command as a process of its own."""
    environment = {**quiet(), "DISNPLBM_SERVER": f"http://127.0.0.1:{server.port}"}
    words = command("submit", path, "--iterations", 1, "--json")
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def _parts(folder: Path) -> list[Path]:
    """Parts that the server holds whole."""
    return [part for part in (folder / STORE / "uploads").glob("*/parts/*") if re.fullmatch(r"\d{6}", part.name)]


def _puts(asking: Asking) -> int:
    """Parts that the server took so far."""
    name = "disnplbm_dashboard_requests_total"
    return counted(asking.get("/metrics").decode(), name, endpoint="datasets.put_part", status="204")


def _dataset(folder: Path) -> DatasetRecord:
    """The only one that there is."""
    database = Database(sqlite_url(folder / DATABASE))
    try:
        (dataset,) = RunService(database, open_store(folder / STORE)).datasets()
    finally:
        database.close()
    return dataset


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
