"""Files that appear whole or not at all, and folders that do not stay."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from disnplbm.errors import RunError
from disnplbm.leaving import on_leaving


@contextmanager
def whole_file(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """Open a file for writing that takes its name only once it is complete and on disk.

    Parameters
    ----------
    mode : {"w", "wb"}
        Text is UTF-8 with line ends as written.

    Raises
    ------
    RunError
        The file cannot be written; nothing of it is left behind.
    """
    part = path.with_name(path.name + ".part")
    text = {} if "b" in mode else {"encoding": "utf-8", "newline": ""}
    try:
        with on_leaving(lambda: part.unlink(missing_ok=True)), part.open(mode, **text) as file:  # type: ignore[call-overload]
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise RunError(f"cannot write {path}: {error.strerror or error}; free space or choose another place") from error
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def scratch_folder(prefix: str) -> Iterator[Path]:
    """A new folder among the temporary ones, gone in the end, however the block is left."""
    with tempfile.TemporaryDirectory(prefix=prefix) as name:
        folder = Path(name)
        with on_leaving(lambda: shutil.rmtree(folder, ignore_errors=True)):
            yield folder
