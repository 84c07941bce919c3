"""Where results go when no folder is named: beside no other table's, whatever dots its name has."""

from __future__ import annotations

from pathlib import Path

import pytest

from disnplbm.cli.inputs import named_after

from .console import call

TABLE = "a,b\n1,2\n3,4\n5,6\n"


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("wine.csv", "wine-run"),
        ("P08.A.csv", "P08.A-run"),
        ("P08.B.csv.gz", "P08.B-run"),
        ("v1.2.TSV", "v1.2-run"),
        (".hidden.csv", ".hidden-run"),
        ("x.h5ad", "x-run"),
        ("x.mtx.gz", "x-run"),
        ("no ending", "no ending-run"),
        ("notes.final", "notes.final-run"),
        # As a server may call a run.
        ("../../elsewhere/x.csv", "x-run"),
        ("C:\\data\\x.csv", "x-run"),
    ],
)
def test_a_folder_is_named_after_the_table_without_its_format(name: str, folder: str) -> None:
    assert named_after(name, "run") == Path(folder)


@pytest.mark.parametrize("verb", ["fit", "calibrate"])
def test_tables_that_differ_after_a_dot_have_folders_of_their_own(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("P08.A.csv", "P08.B.csv", ".hidden.csv"):
        Path(name).write_text(TABLE)
        assert call(verb, name, "--iterations", 8).code == 0
    ending = {"fit": "run", "calibrate": "calibration"}[verb]
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == [
        f".hidden-{ending}",
        f"P08.A-{ending}",
        f"P08.B-{ending}",
    ]
