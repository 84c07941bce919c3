"""A file that somebody else made is read in a process of its own: whatever it does, who asked for it lives."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from disnplbm.data.reading import Reading
from disnplbm.engine import apart
from disnplbm.engine.apart import Limits, run_apart
from disnplbm.engine.options import Options
from disnplbm.errors import DisnplbmError, InputError, Interrupted, OptionsNeeded, RunError, described
from disnplbm.messaging.messages import IngestTask, JobFailed, Result
from disnplbm.notes import Hint
from disnplbm.objects.store import open_store
from disnplbm_worker.prepare import Preparer
from integration.console import SCRIPT
from integration.serving import Server, no_settings, served  # noqa: F401 - a fixture
from services.tables import fitted

from .culprits import hooked

TABLE = b"a,b\n" + b"".join(b"%d,%d\n" % (i % 3, i * i % 7) for i in range(40))

WIDE = Limits(2**30, 60)


@pytest.fixture
def hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers that this process starts have the hook."""
    for name, value in hooked(tmp_path).items():
        monkeypatch.setenv(name, value)


def survey(path: Path, limits: Limits = WIDE, **more: Any) -> dict[str, Any]:
    given = {"path": str(path), "reading": {}, "most_bytes": 2**40, "sample": str(path.with_suffix(".sample"))}
    return run_apart("survey", given, path.name, limits, **more)


def children(parent: int) -> list[int]:
    """Processes that the main thread of another one started, and that it has not taken leave of."""
    return [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


@pytest.mark.usefixtures("hook")
@pytest.mark.parametrize(
    ("name", "limits", "kind", "words"),
    [
        ("crash", WIDE, InputError, "crash.csv crashed the process that read it (SIGSEGV): the file is damaged"),
        ("abort", WIDE, InputError, "abort.csv crashed the process that read it (SIGABRT): the file is damaged"),
        (
            "endless",
            Limits(2**30, 3),
            InputError,
            "endless.csv takes longer to read than the 3 seconds that a file may",
        ),
        ("hold", Limits(2**30, 3), InputError, "hold.csv takes longer to read than the 3 seconds that a file may"),
        ("grow", Limits(2**28, 60), InputError, "grow.csv needs more memory than the 0.25 GiB that reading a file may"),
        ("killed", WIDE, InputError, "killed.csv needs more memory than the system has free"),
        ("end", WIDE, RunError, "the process that read end.csv was ended (exit code 3): try again"),
    ],
)
def test_whatever_a_file_does_is_one_line_that_says_which_limit_it_met(
    tmp_path: Path, name: str, limits: Limits, kind: type[DisnplbmError], words: str
) -> None:
    path = tmp_path / f"{name}.csv"
    path.write_bytes(TABLE)
    before = children(os.getpid())
    with pytest.raises(kind) as refused:
        survey(path, limits)
    assert words in str(refused.value)
    assert described(refused.value) == str(refused.value)
    assert children(os.getpid()) == before


@pytest.mark.usefixtures("hook")
def test_a_fault_of_ours_is_told_with_its_traceback_for_the_log(tmp_path: Path) -> None:
    (tmp_path / "fault.csv").write_bytes(TABLE)
    with pytest.raises(RuntimeError, match="IndexError: pop from empty list") as failed:
        survey(tmp_path / "fault.csv")
    assert described(failed.value).startswith("internal error (RuntimeError)")


def test_processes_share_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "available_bytes", lambda: 16 * 2**30)
    with ExitStack() as stack:
        shares = [stack.enter_context(apart._promise_memory(6 * 2**30)) / 2**30 for _ in range(4)]
        assert shares == [6, 5, 2.5, 1.25]
        monkeypatch.setattr(apart, "available_bytes", lambda: 0)
        assert stack.enter_context(apart._promise_memory(6 * 2**30)) == apart.LEAST_BYTES
    monkeypatch.setattr(apart, "available_bytes", lambda: 16 * 2**30)
    with apart._promise_memory(6 * 2**30) as again:
        assert again == 6 * 2**30


def test_errors_and_results_come_out_as_they_went_in(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes(TABLE)
    assert survey(tmp_path / "x.csv")["rows"] == 40
    (tmp_path / "y.csv").write_text("a;b\n1,234;2\n2,345;3\n")
    with pytest.raises(OptionsNeeded, match=r"'1,234' may be 1\.234") as needed:
        survey(tmp_path / "y.csv")
    assert needed.value.reading == Reading(decimal=",")
    assert Hint("thousands", ",") in needed.value.note.parts
    (tmp_path / "z.csv").write_text("a,b\n1,zebra\n")
    with pytest.raises(InputError, match="zebra"):
        survey(tmp_path / "z.csv")


@pytest.mark.usefixtures("hook")
def test_what_nobody_waits_for_is_ended_even_if_it_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "hold.csv").write_bytes(TABLE)
    before, began = children(os.getpid()), time.monotonic()

    def progress(_done: int, _total: int) -> None:
        if time.monotonic() > began + 0.5:
            raise Interrupted("enough")

    with pytest.raises(Interrupted):
        survey(tmp_path / "hold.csv", progress=progress)
    assert time.monotonic() < began + 30
    assert children(os.getpid()) == before


@pytest.mark.usefixtures("hook")
def test_a_reader_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    (tmp_path / "endless.csv").write_bytes(TABLE)
    program = (
        "import sys; from pathlib import Path; from security.test_apart import survey;"
        " survey(Path(sys.argv[1]), progress=lambda *_: print('reading', flush=True))"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "endless.csv")],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([os.environ["PYTHONPATH"], str(Path(__file__).parents[1])])},
    )
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"reading\n"
    (reader,) = children(parent.pid)
    parent.send_signal(signal.SIGKILL)
    parent.communicate()
    deadline = time.monotonic() + 60
    while _alive(reader):
        assert time.monotonic() < deadline, "the reader lives on"
        os.sched_yield()


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def varint(number: int) -> bytes:
    """A whole number above 0 as Thrift writes it."""
    number, out = 2 * number, bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def page_of_two_gibibytes(path: Path) -> None:
    """A .parquet file of 10 kB whose one page says that it unpacks to 2 GiB, and whose footer does not."""
    pq.write_table(pa.table({"a": np.arange(1000.0)}), path, compression="zstd", use_dictionary=False)
    chunk = pq.ParquetFile(path).metadata.row_group(0).column(0)
    unpacked, packed = chunk.total_uncompressed_size, chunk.total_compressed_size
    content = path.read_bytes()
    # The kind of the page, and then what it unpacks to.
    kind, begin = b"\x15\x00\x15", chunk.data_page_offset
    size = next(varint(n) for n in range(unpacked, 0, -1) if content.startswith(kind + varint(n), begin))
    content = content[:begin] + kind + varint(2**31 - 1) + content[begin + len(kind + size) :]
    # The column has become longer by these bytes.
    sizes = [b"\x16" + varint(unpacked) + b"\x16" + varint(packed + more) for more in (0, 5 - len(size))]
    assert content.count(sizes[0]) == 1
    path.write_bytes(content.replace(*sizes))


def test_a_page_that_asks_for_two_gibibytes_meets_the_limit(tmp_path: Path) -> None:
    page_of_two_gibibytes(tmp_path / "x.parquet")
    with pytest.raises(InputError, match=r"x\.parquet needs more memory than the 1 GiB that reading a file may take"):
        survey(tmp_path / "x.parquet")


@pytest.mark.usefixtures("hook")
@pytest.mark.parametrize(
    ("name", "words"),
    [("crash", "(SIGSEGV): the file is damaged"), ("killed", "needs more memory than the system has")],
)
def test_a_worker_tells_the_master_what_a_file_did(tmp_path: Path, name: str, words: str) -> None:
    store, told, key = open_store(tmp_path / "store"), list[Result](), f"uploads/7/{name}.csv"
    store.put(key, TABLE)
    task = IngestTask("7", key, len(TABLE), hashlib.sha256(TABLE).hexdigest(), {}, "datasets/7", attempt=1)
    Preparer(store, told.append, 60).ingest(task)
    (message,) = told
    assert isinstance(message, JobFailed)
    # No other worker needs to try it.
    assert message.final
    assert words in message.reason


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose readers have the hook, half a GiB and 40 seconds."""
    folder = tmp_path_factory.mktemp("served")
    limits = {"DISNPLBM_READ_MEMORY_BYTES": str(2**29), "DISNPLBM_READ_SECONDS": "40"}
    with served(folder / "served", settings=limits | hooked(folder)) as found:
        yield found
        assert found.process.poll() is None


@pytest.mark.usefixtures("no_settings")
def test_a_server_outlives_its_files_and_checks_others_meanwhile(server: Server, tmp_path: Path) -> None:
    hold, crash, grow = (server.upload(TABLE, f"{name}.csv") for name in ("hold", "crash", "grow"))
    # Both the report and the run: each is read for itself.
    assert server.ask("GET", f"/datasets/{hold}/preflight")[0] == 202
    stuck = server.submit(hold, iterations=3)
    for dataset, words in ((crash, "(SIGSEGV)"), (grow, "needs more memory than the 0.5 GiB")):
        status, problem = server.preflight(dataset)
        assert (status, problem["type"]) == (422, "urn:disnplbm:problem:input")
        assert words in problem["detail"]
        failed = server.wait(server.submit(dataset, iterations=3), ("FAILED",))
        assert words in failed["error"]
        assert "report it" not in failed["error"]
    good = server.upload(TABLE, "good.csv")
    assert server.preflight(good)[1]["rows"] == 40
    run = server.submit(good, iterations=3)
    server.wait(run)
    (tmp_path / "good.csv").write_bytes(TABLE)
    expected = fitted(tmp_path / "good.csv", tmp_path / "run", Options(iterations=3), n_shards=2)
    got = server.ask("GET", f"/runs/{run}/artifacts/run.json")[1]
    assert got["digest"] == expected["digest"]
    assert server.ask("GET", f"/runs/{stuck}")[1]["state"] == "PENDING"
    assert "takes longer to read than the 40 seconds" in server.preflight(hold)[1]["detail"]
    assert "takes longer to read than the 40 seconds" in server.wait(stuck, ("FAILED",))["error"]


@pytest.mark.usefixtures("no_settings")
def test_a_server_that_stops_waits_for_no_file(tmp_path: Path) -> None:
    with served(tmp_path / "served", settings=hooked(tmp_path)) as found:
        dataset = found.upload(TABLE, "hold.csv")
        assert found.ask("GET", f"/datasets/{dataset}/preflight")[0] == 202
        found.submit(dataset, iterations=3)
        began = time.monotonic()
        code, said = found.end()
        assert code == 0, said
        assert "Traceback" not in said
        assert time.monotonic() < began + 20


def test_the_command_line_says_that_memory_is_short_and_not_that_it_is_at_fault(tmp_path: Path) -> None:
    (tmp_path / "x.mtx").write_text("%%MatrixMarket matrix coordinate real general\n1 5000000 1\n1 1 1\n")
    done = subprocess.run(
        ["bash", "-c", 'ulimit -d 300000; exec "$@"', "bash", SCRIPT, "check", tmp_path / "x.mtx"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("disnplbm: this needs more memory than there is: ")
    assert done.stderr.count("\n") == 1


def test_the_command_line_outlives_a_file_that_never_ends() -> None:
    """HDF5 goes round in circles in this file, which a fuzzer found."""
    done = subprocess.run(
        [SCRIPT, "check", Path(__file__).with_name("endless.h5ad")],
        env=os.environ | {"DISNPLBM_READ_SECONDS": "4"},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert done.returncode == 2
    assert "endless.h5ad takes longer to read than the 4 seconds that a file may take" in done.stderr
    assert len(done.stderr.splitlines()) == 1
