"""Uploads that mean no good, to a server that is a process of its own: refused in one line, and nothing is left."""

from __future__ import annotations

import gzip
import hashlib
import http.client
import io
import json
import random
import socket
import struct
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from marks import long

from .console import PATIENCE
from .serving import PART, Server, no_settings, served  # noqa: F401 - a fixture

pytestmark = pytest.mark.usefixtures("no_settings")

#: The server may take so many bytes of memory for whatever it is sent: far less than what the files here unpack to.
MOST_BYTES = 3 * 2**29


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for all of them; it has everybody's engine and settings."""
    with served(tmp_path_factory.mktemp("served")) as found:
        yield found
        assert found.process.poll() is None, "the server died"


def _refused(server: Server, content: bytes, name: str, *words: str) -> str:
    """Upload a file, have it looked over and run, and see it refused; what was said."""
    dataset = server.upload(content, name)
    status, report = server.preflight(dataset)
    assert status == 422, report
    line = str(report["detail"])
    run = server.submit(dataset, iterations=2)
    failed = server.wait(run, ("FAILED",))
    for said in (line, str(failed["error"])):
        assert "\n" not in said
        assert "Traceback" not in said
        assert str(server.folder) not in said
        assert "/tmp" not in said
        for word in words:
            assert word in said, said
    assert server.ask("DELETE", f"/runs/{run}")[0] == 204
    assert server.ask("DELETE", f"/datasets/{dataset}")[0] == 204
    _nothing_left(server, dataset)
    return line


def _nothing_left(server: Server, dataset: str) -> None:
    """Nothing of a dataset is in the store."""
    left = [path for path in (server.folder / "store").rglob("*") if dataset in str(path) and path.is_file()]
    assert left == []
    assert server.ask("GET", f"/datasets/{dataset}")[0] == 404


def _peak(server: Server) -> int:
    """Most memory that the server ever had, in bytes."""
    for line in Path(f"/proc/{server.process.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return 1024 * int(line.split()[1])
    raise AssertionError("no VmHWM")


def _npy_header(shape: tuple[int, ...]) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return out.getvalue()


def _zipped(member: bytes, kind: int = zipfile.ZIP_DEFLATED, says: int | None = None) -> bytes:
    """An .npz with one member; its directory may say that it is larger than it is."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", kind) as archive:
        archive.writestr("x.npy", member)
    content = bytearray(out.getvalue())
    if says is not None:
        at = content.rindex(b"PK\x01\x02")
        content[at + 24 : at + 28] = struct.pack("<I", says)
    return bytes(content)


def _endless_line() -> bytes:
    """A gzipped line of 600 million characters, in less than a megabyte."""
    piece = gzip.compress(b"0" * 20_000_000)
    return gzip.compress(b"a,b\n1,2\n3,") + piece * 30


def _h5ad(write: Callable[[Any], None]) -> bytes:
    """An .h5ad file as its parts are written."""
    import h5py

    out = io.BytesIO()
    with h5py.File(out, "w") as file:
        file.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
        for name in ("obs", "var"):
            group = file.create_group(name)
            group.attrs.update({"encoding-type": "dataframe", "encoding-version": "0.2.0", "_index": "_index"})
            group.attrs["column-order"] = np.array([], dtype="S1")
        write(file)
    return out.getvalue()


def _virtual_cells(file: Any) -> None:
    file.create_dataset("X", shape=(10**7, 10**6), chunks=(1000, 1000), dtype="f8")
    for name, length in (("obs", 10**7), ("var", 10**6)):
        file.create_dataset(f"{name}/_index", shape=(length,), chunks=(1000,), dtype="S40")


def _cells_elsewhere(file: Any) -> None:
    file.create_dataset("X", shape=(2, 8), dtype="u1", external=[("/etc/passwd", 0, 16)])
    file["obs/_index"], file["var/_index"] = np.arange(2).astype("S1"), np.arange(8).astype("S1")


def _link_elsewhere(file: Any) -> None:
    import h5py

    file["X"] = h5py.ExternalLink("/etc/passwd", "/X")
    file["obs/_index"], file["var/_index"] = np.arange(2).astype("S1"), np.arange(8).astype("S1")


BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    # Cells that are not there: the header says so, or the directory of the archive says so too.
    "many-columns.npy": (lambda: _npy_header((1, 10**12)), "columns"),
    "many-rows.npy": (lambda: _npy_header((10**12, 4)), "cut short"),
    "many-columns.npz": (lambda: _zipped(_npy_header((1, 10**12))), "columns"),
    "many-rows.npz": (lambda: _zipped(_npy_header((10**9, 1000))), "cannot hold"),
    "lying-directory.npz": (lambda: _zipped(_npy_header((1000, 10**5)), says=2**31), "cannot hold"),
    "other-packing.npz": (
        lambda: _zipped(_npy_header((10**6, 16)) + bytes(2**27), zipfile.ZIP_BZIP2),
        "numpy does not write",
    ),
    "no-array.npz": (lambda: _zipped(b"PK" * 1000), "not a .npy array"),
    "sheet.npz": (lambda: _zipped(b"").replace(b"x.npy", b"x.xml"), "cannot tell which array"),
    # A spreadsheet under the name of a table.
    "sheet.csv": (lambda: _zipped(bytes(2**26)), "sheet.csv"),
    "endless-line.csv.gz": (_endless_line, "longer than"),
    "cut.csv.gz": (lambda: gzip.compress(b"a,b\n" + b"1,2\n" * 1000)[:-20], "damaged"),
    "wide.mtx": (
        lambda: b"%%MatrixMarket matrix coordinate real general\n1000000000 1000000000 1\n1 1 1.0\n",
        "columns",
    ),
    "virtual.h5ad": (lambda: _h5ad(_virtual_cells), "cannot hold"),
    "elsewhere.h5ad": (lambda: _h5ad(_cells_elsewhere), "other files"),
    "link.h5ad": (lambda: _h5ad(_link_elsewhere), "other files"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_files_that_unpack_to_more_than_they_are_take_no_memory(server: Server, name: str) -> None:
    make, words = BOMBS[name]
    content = make()
    assert len(content) < 2**21
    assert name.partition(".")[0] in _refused(server, content, name, words)
    assert _peak(server) < MOST_BYTES


@pytest.mark.long
def test_what_unpacks_to_more_than_an_upload_may_have_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Honest, and yet too much: 80 MB of cells in 80 kB, where 40 MB are allowed.
    out = io.BytesIO()
    np.savez_compressed(out, x=np.zeros((10**6, 10)))
    with served(tmp_path / "served", settings={"DISNPLBM_UPLOAD_LIMIT_BYTES": "40000000"}) as server:
        _refused(server, out.getvalue(), "zeros.npz", "unpacks to more than 40,000,000 bytes")
        _refused(server, gzip.compress(b"0,0\n" * 3_000_000), "zeros.csv.gz", "unpacks to more than 40,000,000 bytes")
        status, problem, _ = server.ask("POST", "/datasets", {"name": "x.csv", "bytes": 40_000_001})
        assert (status, problem["type"]) == (413, "urn:disnplbm:problem:too-large")
        assert list((server.folder / "store").rglob("zeros*")) == []


@pytest.mark.parametrize("kind", [".csv", ".npy", *map(long, (".csv.gz", ".tsv", ".npz", ".parquet", ".mtx", ".h5ad"))])
def test_random_bytes_are_refused(server: Server, kind: str) -> None:
    chance = random.Random(kind)
    for size in (1, 100, 100_000):
        # A few bytes that look like the beginning of the kind lead further into its reader.
        begin = {".csv.gz": b"\x1f\x8b\x08", ".npy": b"\x93NUMPY\x01\x00", ".npz": b"PK\x03\x04", ".parquet": b"PAR1"}
        begin |= {".mtx": b"%%MatrixMarket matrix array real general\n", ".h5ad": b"\x89HDF\r\n\x1a\n"}
        for start in (b"", begin.get(kind, b"\x00\xff")):
            _refused(server, start + chance.randbytes(size), f"random{kind}")


def test_ten_thousand_columns_become_a_run(server: Server) -> None:
    values = np.random.default_rng(0).normal(size=(12, 10_000))
    text = ",".join(f"<i>{j}</b>" for j in range(10_000)) + "\n"
    text += "".join(",".join(f"{value:.4f}" for value in row) + "\n" for row in values)
    dataset = server.upload(text.encode(), "wide.csv")
    run = server.submit(dataset, iterations=1)
    server.wait(run)
    assert server.file(run, "columns.csv").count(b"\n") == 10_001
    assert b"<i>0<" not in server.file(run, "report.html")


@pytest.mark.parametrize(
    "name",
    ["../up.csv", "/etc/cron.d/x.csv", "a/b.csv", "..\\up.csv", "x\0.csv", "x\n.csv", ".csv/../y.csv", "", "x" * 201],
)
def test_names_that_lead_elsewhere_are_refused(server: Server, name: str) -> None:
    status, problem, _ = server.ask("POST", "/datasets", {"name": name, "bytes": 10})
    assert status == 422
    assert problem["type"] in ("urn:disnplbm:problem:input", "urn:disnplbm:problem:validation")


@pytest.mark.parametrize(
    "name", ["..csv", "...csv", "%2e%2e%2fup.csv", "C:x.csv", "-rf.csv", "ü\u202ecsv.csv", "~.csv"]
)
def test_names_that_only_look_so_stay_in_their_folder(server: Server, name: str) -> None:
    before = set(server.folder.parent.iterdir())
    dataset = server.upload(b"a,b\n1,2\n2,3\n4,5\n", name)
    assert server.ask("GET", f"/datasets/{dataset}")[1]["name"] == name
    (kept,) = [path for path in (server.folder / "store" / "uploads" / dataset).rglob("*") if path.is_file()]
    assert kept.parent == server.folder / "store" / "uploads" / dataset
    assert set(server.folder.parent.iterdir()) == before
    assert server.ask("DELETE", f"/datasets/{dataset}")[0] == 204
    _nothing_left(server, dataset)


@pytest.mark.parametrize("size", [-1, 0, 1.5, "10", True, 2**60, None])
def test_sizes_that_no_file_has_are_refused(server: Server, size: object) -> None:
    status, problem, _ = server.ask("POST", "/datasets", {"name": "x.csv", "bytes": size})
    assert status in (413, 422), problem


def test_parts_that_are_not_what_was_announced_leave_nothing(server: Server) -> None:
    content = b"a,b\n" + b"1,2\n" * 20
    made = server.ask("POST", "/datasets", {"name": "x.csv", "bytes": len(content)})[1]
    where = f"/datasets/{made['id']}/parts"
    for number, part in ((0, content[:-1]), (0, content + b"x"), (1, b"x"), (10**9, b"x"), (-1, b"x")):
        status, _, _ = server.ask("PUT", f"{where}/{number}", part)
        assert status in (404, 422)
    assert server.ask("GET", where)[1]["present"] == []
    assert server.ask("POST", f"/datasets/{made['id']}/complete", {})[0] == 422
    assert server.ask("PUT", f"{where}/0", content.replace(b"1", b"9"))[0] == 204
    sha256 = hashlib.sha256(content).hexdigest()
    status, problem, _ = server.ask("POST", f"/datasets/{made['id']}/complete", {"sha256": sha256})
    assert (status, "did not arrive as it was sent" in problem["detail"]) == (422, True)
    assert server.ask("GET", "/datasets?search=" + made["id"])[1]["items"] == []
    assert server.ask("DELETE", f"/datasets/{made['id']}")[0] == 204
    _nothing_left(server, made["id"])


def test_a_client_that_dies_within_a_part_leaves_no_part_of_it(server: Server) -> None:
    made = server.ask("POST", "/datasets", {"name": "x.npy", "bytes": 2 * PART})[1]
    where = f"/datasets/{made['id']}/parts"
    for sent in (0, 1, 5_000_000, PART - 1):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        connection.putrequest("PUT", f"/api/v1{where}/0")
        connection.putheader("Content-Length", str(PART))
        connection.endheaders()
        connection.send(bytes(sent))
        # As the kernel does for a process that is killed with data it has not read.
        assert connection.sock is not None
        connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
    # And one that says less than it sends.
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as raw:
        raw.sendall(f"PUT /api/v1{where}/0 HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\n\r\n".encode())
        raw.sendall(b"x" * 5)
        assert raw.recv(100).startswith(b"HTTP/1.1 422")
    assert server.ask("GET", where)[1]["present"] == []
    assert server.ask("DELETE", f"/datasets/{made['id']}")[0] == 204
    deadline = time.monotonic() + PATIENCE
    while list((server.folder / "store").rglob(f"*{made['id']}*/**/*")):
        assert time.monotonic() < deadline, "something of a part is left"
        time.sleep(0.05)


def test_a_body_in_chunks_without_a_length_is_held_to_the_same_limits(server: Server) -> None:
    made = server.ask("POST", "/datasets", {"name": "x.csv", "bytes": 5})[1]
    path = f"/api/v1/datasets/{made['id']}/parts/0"
    for body, allowed in ((b"a,b\n1", (204, 411)), (b"x" * 6, (411, 422)), (bytes(2 * PART + 2), (411, 413, 422))):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        pieces = (body[at : at + 2**20] for at in range(0, len(body), 2**20))
        try:
            connection.request("PUT", path, pieces, {"Transfer-Encoding": "chunked"}, encode_chunked=True)
            status = connection.getresponse().status
        except (BrokenPipeError, ConnectionResetError):
            # It did not wait for the rest of what is too large.
            status = 413
        connection.close()
        assert status in allowed
    present = server.ask("GET", f"/datasets/{made['id']}/parts")[1]["present"]
    assert present in ([], [0])
    assert json.dumps(server.ask("GET", f"/datasets/{made['id']}")[1]["state"]) == '"UPLOADING"'
