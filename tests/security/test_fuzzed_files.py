"""Real files with something changed at random: each is read, or refused in one line, and nobody else notices."""

from __future__ import annotations

import contextlib
import json
import os
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from disnplbm.engine.options import Options
from integration.serving import Server, no_settings, served  # noqa: F401 - a fixture
from marks import long
from services.tables import fitted

from .fuzzing import changed, real_files

SEED, FILES = 7, 900
"""Of the files that are tried each time."""

SECONDS = 600
"""That new ones are tried for."""

MEMORY = 2**30
"""That one reader of the server may take."""

OF_THE_SERVER = 1500
"""MiB that the server itself may take: kernels, and a run."""

PROGRAM = """
import json, resource, sys
from pathlib import Path
from disnplbm.data.reading import Reading
from disnplbm.engine.apart import open_table
resource.setrlimit(resource.RLIMIT_DATA, (2**30, 2**30))
for line in sys.stdin:
    print(json.dumps({"begins": line.strip()}), flush=True)
    said = ""
    try:
        for chunk in open_table(Path(line.strip()), Reading()).chunks():
            pass
    except MemoryError:
        said = "InputError: it needs more memory than there is"
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    print(json.dumps({"said": said}), flush=True)
"""


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Files that are right."""
    return real_files(tmp_path_factory.mktemp("originals"))


@pytest.mark.parametrize(("files", "seed"), [(100, SEED), *(long(FILES, None, id=f"new-{i}") for i in range(20))])
def test_a_changed_file_is_read_or_refused_in_one_line(
    tmp_path: Path, originals: dict[str, bytes], files: int, seed: int | None
) -> None:
    seed = random.SystemRandom().randrange(2**32) if seed is None else seed
    print(f"seed {seed}")
    chance, others = random.Random(seed), list(originals.values())
    names = [chance.choice(list(originals)) for _ in range(files)]
    paths = [tmp_path / f"{number}-{name}" for number, name in enumerate(names)]
    for path, name in zip(paths, names, strict=True):
        path.write_bytes(changed(originals[name], name, chance, others))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM],
        input="".join(f"{path}\n" for path in paths),
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
        env=os.environ | {"DISNPLBM_READ_SECONDS": "20"},
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, (done.returncode, lines[-1:], done.stderr[-1000:])
    said = [line["said"] for line in lines if "said" in line]
    assert len(said) == files
    odd = [line for line in said if line and not line.startswith(("InputError: ", "OptionsNeeded: "))]
    assert odd == []
    assert [line for line in said if "\n" in line] == []
    # A fuzzer whose files are all refused, or all read, tries nothing.
    assert 0.05 * files < sum(not line for line in said) < 0.95 * files


@pytest.mark.long
@pytest.mark.usefixtures("no_settings")
def test_a_server_reads_changed_files_for_minutes_and_nobody_notices(
    tmp_path: Path, originals: dict[str, bytes]
) -> None:
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    chance, others = random.Random(seed), list(originals.values())
    table = tmp_path / "table.csv"
    generator = np.random.default_rng(0)
    np.savetxt(table, generator.normal(size=(60, 8)) + 3 * generator.integers(0, 2, (60, 1)), delimiter=",")
    expected = fitted(table, tmp_path / "run", Options(iterations=5), n_shards=2)["digest"]
    limits = {"DISNPLBM_READ_MEMORY_BYTES": str(MEMORY), "DISNPLBM_READ_SECONDS": "60"}
    deadline, tried = time.monotonic() + SECONDS, 0
    with served(tmp_path / "served", settings=limits) as server, ThreadPoolExecutor(4) as pool:
        while time.monotonic() < deadline:
            batch = [chance.choice(list(originals)) for _ in range(20)]
            contents = [changed(originals[name], name, chance, others) or b"0" for name in batch]
            answers = pool.map(lambda name, content: _checked(server, name, content), batch, contents)
            run = server.submit(server.upload(table.read_bytes(), "table.csv"), iterations=5)
            for name, content, (status, report) in zip(batch, contents, answers, strict=True):
                if status not in (200, 422):
                    (tmp_path / "culprit").write_bytes(content)
                    pytest.fail(f"{name} (kept as {tmp_path / 'culprit'}, seed {seed}): {status} {report}")
            server.wait(run)
            assert json.loads(server.file(run, "run.json"))["digest"] == expected
            assert _mebibytes(server.process.pid, "VmHWM") < OF_THE_SERVER
            tried += len(batch)
        print(f"{tried} files")
        assert server.process.poll() is None


def _checked(server: Server, name: str, content: bytes) -> tuple[int, object]:
    """What the server says of a file; its readers are within their limits meanwhile."""
    dataset = server.upload(content, name)
    waiting = time.monotonic() + 120
    while True:
        status, report, _ = server.ask("GET", f"/datasets/{dataset}/preflight")
        for reader in _readers(server.process.pid):
            assert _mebibytes(reader, "RssAnon") < (MEMORY + 2**28) / 2**20
        if status != 202:
            server.ask("DELETE", f"/datasets/{dataset}")
            return status, report
        assert time.monotonic() < waiting, name


def _readers(pid: int) -> list[int]:
    found = list[int]()
    for task in Path(f"/proc/{pid}/task").iterdir():
        # A thread may end meanwhile.
        with contextlib.suppress(OSError):
            found += map(int, (task / "children").read_text().split())
    return found


def _mebibytes(pid: int, field: str) -> float:
    """A figure of a process; 0 once it is gone."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) / 1024 for line in lines if line.startswith(field))
