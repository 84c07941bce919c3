"""What a process does before it leaves at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from disnplbm.errors import Interrupted
from disnplbm.files import scratch_folder, whole_file
from disnplbm.leaving import leave, on_leaving, when_interrupted


def test_actions_run_from_the_newest_to_the_oldest_and_the_newest_that_knows_is_heard() -> None:
    ran: list[str] = []

    def says(name: str, line: str | None) -> str | None:
        ran.append(name)
        return line

    with on_leaving(lambda: says("outer", "outer")), on_leaving(lambda: says("middle", "middle")):
        with on_leaving(lambda: says("inner", None)):
            assert leave() == "middle"
        assert ran == ["inner", "middle", "outer"]
    assert leave() is None


def test_an_action_that_fails_keeps_no_other_from_its_work() -> None:
    def fails() -> str:
        raise OSError("the disk is full")

    with on_leaving(lambda: "kept"), on_leaving(fails):
        assert leave() == "kept"


def test_an_interrupted_block_says_what_its_action_says() -> None:
    with pytest.raises(Interrupted, match="kept 3"), when_interrupted(lambda: "kept 3"):
        raise KeyboardInterrupt


def test_a_file_that_is_half_written_goes(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("before")

    def write() -> None:
        with whole_file(tmp_path / "x.csv") as file:
            file.write("half")
            file.flush()
            leave()
            assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert (tmp_path / "x.csv").read_text() == "before"


def test_a_scratch_folder_goes_with_what_is_in_it() -> None:
    with scratch_folder("disnplbm-test-") as folder:
        (folder / "x").write_text("x")
        leave()
        assert not folder.exists()
    with scratch_folder("disnplbm-test-") as folder:
        (folder / "x").write_text("x")
    assert not folder.exists()
