"""What a plain installation can do, what it says of the rest, and what is in a wheel."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path
from urllib.request import urlopen

import numpy as np
import pytest
from anndata import AnnData
from sklearn.metrics import adjusted_rand_score

from .console import PATIENCE, Outcome, assert_refused, blocks, quiet, report_of, save_csv
from .serving import served

REPOSITORY = Path(__file__).resolve().parents[2]

#: Modules that only the extras bring.
ABSENT = (
    *("alembic", "apiflask", "celery", "flask", "kombu", "msgspec", "prometheus_client", "psycopg", "pydantic"),
    *("pydantic_settings", "redis", "sqlalchemy", "structlog", "waitress"),
)

#: The console script where these modules are not installed.
PLAIN = f"""
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {ABSENT}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Absent())
from disnplbm.cli import main
main()
"""

#: Words of a command that needs an extra, and the extra.
NEEDS = {
    "serve": ("dashboard", ["serve", "--port", "0"]),
    "token": ("dashboard", ["token", "list"]),
    "master": ("cluster", ["master"]),
    "worker": ("cluster", ["worker"]),
    "submit": ("cluster", ["submit", "x.csv"]),
    "status": ("cluster", ["status"]),
    "resume": ("cluster", ["resume", "3f2a"]),
    "migrate": ("cluster", ["migrate"]),
    "doctor": ("cluster", ["doctor"]),
    "clean": ("cluster", ["clean"]),
}


def ended(words: list[str], folder: Path, patience: float = PATIENCE) -> Outcome:
    environment = {name: value for name, value in quiet().items() if not name.startswith("DISNPLBM_")}
    done = subprocess.run(words, capture_output=True, text=True, cwd=folder, env=environment, timeout=patience)
    return Outcome(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("name", NEEDS)
def test_a_command_names_the_extra_that_it_needs(name: str, tmp_path: Path) -> None:
    save_csv(tmp_path / "x.csv", blocks()[0])
    extra, words = NEEDS[name]
    outcome = ended([sys.executable, "-c", PLAIN, *words], tmp_path)
    assert_refused(outcome, "is not installed", f"pip install 'disnplbm[{extra}]'")


def test_a_plain_installation_has_all_that_works_without_servers(tmp_path: Path) -> None:
    save_csv(tmp_path / "x.csv", blocks()[0])
    for words in (
        ("check", "x.csv"),
        ("fit", "x.csv", "--iterations", "20", "--burn-in", "10", "--output", "run"),
        ("cut", "run", "--rows", "1", "--refine"),
        ("explain", "run"),
        ("predict", "run", "x.csv"),
        ("impute", "run", "x.csv"),
        ("report", "run"),
    ):
        done = ended([sys.executable, "-c", PLAIN, *words], tmp_path, 5 * PATIENCE)
        assert done.code == 0, (words, done.err)


def test_a_plain_installation_opens_anndata_files(tmp_path: Path) -> None:
    AnnData(blocks()[0]).write_h5ad(tmp_path / "x.h5ad")
    done = ended([sys.executable, "-c", PLAIN, "check", "x.h5ad"], tmp_path, 5 * PATIENCE)
    assert done.code == 0, done.err


def copied(folder: Path, *, pages: bool) -> Path:
    """A copy of what a wheel is built from."""
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(REPOSITORY / name, folder)
    skipped = shutil.ignore_patterns("__pycache__", "web", *([] if pages else ["pages"]))
    for name in ("shared", "services", "dashboard"):
        shutil.copytree(REPOSITORY / name, folder / name, ignore=skipped)
    return folder


def built(source: Path, target: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    return subprocess.run([*words, "--wheel-dir", str(target), str(source)], capture_output=True, text=True)


def test_a_wheel_without_the_built_pages_is_refused(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "wheels"
    source.mkdir()
    done = built(copied(source, pages=False), target)
    assert done.returncode != 0
    assert "build the pages first, with `make pages`" in done.stdout + done.stderr
    assert not target.exists() or not list(target.iterdir())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    source, target = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheels")
    done = built(copied(source, pages=True), target)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = target.iterdir()
    return path


def test_a_wheel_holds_the_built_pages(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert "disnplbm_dashboard/pages/index.html" in names
    assert "disnplbm/report/pages/report.html" in names
    assert any(name.startswith("disnplbm_dashboard/pages/assets/") for name in names)
    assert "disnplbm/py.typed" in names


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The programs of an environment that has the wheel, and all other packages of this one."""
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--no-index", str(wheel)], check=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    # They come last, and no .pth file there is read, such as the one that names the checkout.
    (packages / "others.pth").write_text("\n".join({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}))
    # The same sources are compiled already.
    for compiled in (REPOSITORY / "shared").rglob("*.nb[ic]"):
        target = packages / compiled.relative_to(REPOSITORY / "shared")
        target.parent.mkdir(exist_ok=True)
        shutil.copy(compiled, target)
    return folder / "bin"


def test_nothing_of_the_checkout_is_imported_beside_a_wheel(installed: Path, tmp_path: Path) -> None:
    packages = ("disnplbm", "disnplbm_dashboard", "disnplbm_master", "disnplbm_worker")
    program = f"import sys, {', '.join(packages)}\n" + "".join(f"print({name}.__file__)\n" for name in packages)
    done = ended([str(installed / "python"), "-c", program + "print(*sys.path)"], tmp_path)
    assert done.code == 0, done
    *files, path = done.out.splitlines()
    assert all(file.startswith(str(installed.parent)) for file in files)
    assert not {str(REPOSITORY / name) for name in ("shared", "dashboard")} & set(path.split())


def test_an_installed_wheel_fits_and_writes_its_report(installed: Path, tmp_path: Path) -> None:
    save_csv(tmp_path / "x.csv", blocks()[0])
    done = ended([str(installed / "disnplbm"), "fit", "x.csv", "--iterations", "5", "--json"], tmp_path, 5 * PATIENCE)
    assert done.code == 0, done
    (folder,) = (path for path in tmp_path.iterdir() if path.is_dir())
    assert report_of(folder)["run"]["rows"] == done.record["rows"] == 60


def test_an_installed_wheel_serves_its_pages(installed: Path, tmp_path: Path) -> None:
    with served(tmp_path / "served", program=[str(installed / "disnplbm")]) as server:
        with urlopen(f"http://127.0.0.1:{server.port}/", timeout=PATIENCE) as answer:
            page = answer.read().decode()
        (script,) = re.findall(r'<script[^>]* src="([^"]+)"', page)
        with urlopen(f"http://127.0.0.1:{server.port}/{script.lstrip('./')}", timeout=PATIENCE) as answer:
            assert "javascript" in answer.headers["Content-Type"]
        assert server.ask("GET", "/runs")[0] == 200
        assert server.end() == (0, "")


#: What somebody runs who has no more than the wheel.
PIPELINE = """
import numpy as np
from disnplbm import NPLBM
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

x = np.loadtxt("x.csv", delimiter=",", skiprows=1)
pipeline = make_pipeline(StandardScaler(), NPLBM(n_iterations=20, burn_in=10)).fit(x)
print(*pipeline[-1].row_labels_)
print(*pipeline.predict(x))
"""


@pytest.mark.long
def test_an_installed_wheel_works_in_a_pipeline(installed: Path, tmp_path: Path) -> None:
    x, rows, _ = blocks()
    save_csv(tmp_path / "x.csv", x)
    done = ended([str(installed / "python"), "-c", PIPELINE], tmp_path, 5 * PATIENCE)
    assert done.code == 0, done
    fitted, predict_table = (np.array(line.split(), dtype=int) for line in done.out.splitlines())
    assert adjusted_rand_score(rows, fitted) == adjusted_rand_score(rows, predict_table) == 1.0


def test_serve_says_where_the_pages_are_not_built(tmp_path: Path) -> None:
    program = (
        "import pathlib, disnplbm_dashboard.web as web; web.PAGES = pathlib.Path('nowhere');"
        " from disnplbm.cli import main; main()"
    )
    with served(tmp_path / "served", program=[sys.executable, "-c", program]) as server:
        assert server.ask("GET", "/runs")[0] == 200
        code, said = server.end()
    assert (code, said) == (
        0,
        "disnplbm: the pages are not built, only the API is here: build them with `make pages`\n",
    )


@pytest.mark.long
def test_a_plain_installation_fits_and_names_what_it_lacks(wheel: Path, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    pip = [str(tmp_path / "venv" / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    locked = str(REPOSITORY / "requirements-run.lock")
    subprocess.run([*pip, "--require-hashes", "--requirement", locked], check=True)
    subprocess.run([*pip, "--no-deps", str(wheel)], check=True)
    script = str(tmp_path / "venv" / "bin" / "disnplbm")
    save_csv(tmp_path / "x.csv", blocks()[0])
    for extra, words in NEEDS.values():
        assert_refused(ended([script, *words], tmp_path), "is not installed", f"pip install 'disnplbm[{extra}]'")
    # Everything is imported and compiled for the first time.
    done = ended([script, "fit", "x.csv", "--iterations", "5", "--json"], tmp_path, 10 * PATIENCE)
    assert done.code == 0, done
    assert done.record["rows"] == 60
    assert [path.name for path in tmp_path.glob("*/report.html")] == ["report.html"]
