"""A file as a process of its own reads it, which says what came of it and how much memory that took."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

#: A test that fails must not take the machine with it.
MOST_MEMORY, MOST_DISK = 6 * 2**30, 256 * 2**20

PROGRAM = """
import json, sys
from pathlib import Path
from disnplbm.data.source import open_source
said = ""
try:
    for chunk in open_source(Path(sys.argv[1]), **json.loads(sys.argv[2])).chunks():
        pass
except ValueError as error:
    said = f"{type(error).__name__}: {error}"
# Not getrusage, which counts what the process was forked from.
(peak,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
print(json.dumps([said, int(peak.split()[1]) / 1024]))
"""


@dataclass(frozen=True)
class Outcome:
    """What a reader says of a file (nothing, if it reads it), and its peak of memory in MiB."""

    said: str
    peak: float


def read_apart(path: Path, **options: object) -> Outcome:
    """Read a file from its first row to its last."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_DISK, MOST_DISK))

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path), json.dumps(options)],
        check=False,
        capture_output=True,
        text=True,
        preexec_fn=limit,
        timeout=300,
    )
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    return Outcome(*json.loads(done.stdout))
