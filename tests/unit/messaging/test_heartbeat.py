"""The heartbeat file is there from the start, and is touched again and again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

from disnplbm.errors import RunError
from disnplbm.messaging import heartbeat
from disnplbm.messaging.heartbeat import Heartbeat


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


def test_a_disk_that_hangs_is_silence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heartbeat, "SECONDS", 0.01)
    hangs, goes_on = Event(), Event()
    touch = Path.touch

    def touched(path: Path, **options: bool) -> None:
        if hangs.is_set():
            goes_on.wait(60)
        touch(path, **options)

    monkeypatch.setattr(Path, "touch", touched)
    with Heartbeat(tmp_path / "beat") as beating:
        hangs.set()
        _until(lambda: beating.silence > 0.5)
        hangs.clear()
        goes_on.set()
        _until(lambda: beating.silence < 0.5)
    assert Heartbeat(None).silence == 0.0


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)
