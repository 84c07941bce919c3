"""The file says whether tasks are consumed, to whoever starts more workers."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from disnplbm.errors import RunError
from disnplbm_worker.readiness import readiness


def test_the_file_comes_and_goes_with_the_consumer(tmp_path: Path) -> None:
    path = tmp_path / "new" / "ready"
    consumer = SimpleNamespace(steps=[])
    step = readiness(path)(consumer)
    assert not path.exists()
    step.start(consumer)
    assert path.exists()
    for _ in range(2):
        step.stop(consumer)
        assert not path.exists()


def test_what_a_killed_worker_left_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "ready"
    path.touch()
    readiness(path)
    assert not path.exists()


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match=r"cannot write the file .*/file/ready: .*DISNPLBM_READY_FILE"):
        readiness(tmp_path / "file" / "ready")
