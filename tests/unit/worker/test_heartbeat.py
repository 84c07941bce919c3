"""The heartbeat file is there from the start, and is touched again and again."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from disnplbm.errors import RunError
from disnplbm_worker import heartbeat
from disnplbm_worker.heartbeat import Heartbeat


def test_the_file_is_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeat, "SECONDS", 0.01)
    path = tmp_path / "new" / "beat"
    with Heartbeat(path):
        for _ in range(2):
            os.utime(path, (0, 0))
            deadline = time.monotonic() + 60
            while path.stat().st_mtime == 0:
                assert time.monotonic() < deadline
                time.sleep(0.01)


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(RunError, match=r"cannot write the heartbeat file .*/file/beat: .*DISNPLBM_HEARTBEAT_FILE"),
        Heartbeat(tmp_path / "file" / "beat"),
    ):
        pass
