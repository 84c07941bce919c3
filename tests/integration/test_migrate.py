"""``disnplbm migrate``, and what must not need the packages of the cluster."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text

from disnplbm.runs.database import Database


def _run(*arguments: str, folder: Path, url: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from disnplbm.cli import main; main()", *arguments],
        cwd=folder,
        env={"DISNPLBM_DATABASE_URL": url, "PATH": ""},
        capture_output=True,
        text=True,
    )


def test_migrate_makes_the_tables_and_may_be_run_again(tmp_path: Path) -> None:
    for _ in range(2):
        done = _run("migrate", folder=tmp_path, url="sqlite:///runs.sqlite3")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == "the tables of sqlite:///runs.sqlite3 are up to date\n"
    database = Database(f"sqlite:///{tmp_path}/runs.sqlite3")
    database.check_version()
    database.close()


@pytest.mark.parametrize("arguments", [("migrate",), ("status",), ("serve", "--port", "0", "--folder", ".")])
def test_the_tables_of_a_newer_version_are_left_alone(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """As after an upgrade that was taken back."""
    url = f"sqlite:///{tmp_path}/disnplbm.sqlite3"
    database = Database(url)
    database.migrate()
    with database.session() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '0999'"))
    database.close()
    done = _run(*arguments, folder=tmp_path, url=url)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "are of a newer version (0999): upgrade disnplbm" in done.stderr


@pytest.mark.parametrize(
    ("url", "code", "said"),
    [
        ("postgresql://ada:secret@127.0.0.1:1/x", 1, "the database postgresql://ada@127.0.0.1:1/x is away"),
        ("oracle://ada:secret@host/x", 2, "is not supported; give postgresql+psycopg://"),
    ],
)
def test_a_database_that_cannot_be_used_is_told_in_one_line(tmp_path: Path, url: str, code: int, said: str) -> None:
    done = _run("migrate", folder=tmp_path, url=url)
    assert done.returncode == code
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert "secret" not in done.stderr


def test_objects_fit_and_help_load_no_package_of_the_cluster() -> None:
    code = (
        "import sys, disnplbm.objects, disnplbm.cli.migrate, disnplbm.cli.asked, disnplbm.cli.predict\n"
        "import disnplbm.engine.fit, disnplbm.engine.apart, disnplbm.engine.levels, disnplbm.engine.explain\n"
        "from disnplbm.cli.main import cli\n"
        "cli(['--help'], standalone_mode=False)\n"
        "print(sorted({'sqlalchemy', 'alembic', 'pydantic', 'celery', 'psycopg'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "migrate" in done.stdout
    assert done.stdout.endswith("[]\n")


@pytest.mark.parametrize("arguments", [("resume", "abcd"), ("status",)])
def test_a_database_that_is_not_there_is_not_made(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = _run(*arguments, folder=tmp_path, url="sqlite:///runs.sqlite3")
    assert done.returncode == 1
    assert "the database sqlite:///runs.sqlite3 has no tables yet: run `disnplbm migrate`" in done.stderr
    if arguments[0] == "resume":
        assert done.stderr.startswith("disnplbm: there is no folder abcd here, and as a run it does not resume: ")
    assert list(tmp_path.iterdir()) == []
