"""What makes the clusters of a run: ``disnplbm explain``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from disnplbm import NPLBM
from disnplbm.engine import telling
from disnplbm.errors import InputError

from .console import call, fit
from .test_cells import counts, rows_of, write_csv

WORDS, TEXTS = 40, 90


def texts() -> np.ndarray:
    """Counts of words in texts of three subjects, each with five words of its own."""
    rng = np.random.default_rng(0)
    rates = np.full((3, WORDS), 2.0)
    for subject in range(3):
        rates[subject, 5 * subject : 5 * subject + 5] = 12.0
    return rng.poisson(rates[np.arange(TEXTS) % 3]).astype(np.float64)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("explain")
    done = fit(write_csv(folder / "x.csv", texts()), folder / "run", "--cells", "counts", iterations=60)
    assert done.code == 0, done.err
    return folder / "run"


def test_every_cluster_is_told_by_what_sets_it_apart(run: Path) -> None:
    done = call("explain", run)
    assert done.code == 0, done.err
    labels = np.array([int(row["label"]) for row in rows_of(run, "rows.csv")])
    apart = rows_of(run / "explain-rows", "apart.csv")
    assert set(np.unique(labels)) == {0, 1, 2}
    for cluster in range(3):
        members = np.flatnonzero(labels == cluster)
        subject = members[0] % 3
        own = {f"g{j}" for j in range(5 * subject, 5 * subject + 5)}
        high = {
            row["name"]
            for row in apart
            if int(row["cluster"]) == cluster and float(row["rate"]) > float(row["rate_others"])
        }
        assert own <= high
        (line,) = [line for line in done.out.splitlines() if line.startswith(f"Cluster {cluster}: ")]
        assert line.startswith(f"Cluster {cluster}: {len(members)} rows; high in g")
        assert " times the others)" in line
    assert all(float(row["q"]) <= 0.05 for row in apart)
    # No subject has any of the other words.
    assert sum(int(row["name"][1:]) >= 15 for row in apart) <= 0.2 * len(apart)


def test_members_come_with_how_well_they_fit(run: Path) -> None:
    assert call("explain", run).code == 0
    members = rows_of(run / "explain-rows", "members.csv")
    assert sorted(row["id"] for row in members) == sorted(f"r{i}" for i in range(TEXTS))
    for cluster in range(3):
        fits = [float(row["fit"]) for row in members if int(row["cluster"]) == cluster]
        assert fits == sorted(fits, reverse=True)
        assert np.median(fits) > 0


def test_columns_are_told_by_rows(run: Path) -> None:
    done = call("explain", run, "--axis", "columns", "--clusters", "fine", "--top", 2, "--output", run / "own")
    assert done.code == 0, done.err
    assert "columns; high in r" in done.out
    assert {row["name"][0] for row in rows_of(run / "own", "apart.csv")} == {"r"}
    assert done.out.splitlines()[-1] == f"written    {run / 'own'}"


def test_a_level_is_explained(run: Path) -> None:
    done = call("explain", run, "--clusters", 2)
    assert done.code == 0, done.err
    assert [line.split(":")[0] for line in done.out.splitlines() if line.startswith("Cluster")] == [
        "Cluster 0",
        "Cluster 1",
    ]


@pytest.mark.parametrize("cells", ["gaussian", "binary", "categorical"])
def test_all_kinds_of_cells_are_explained(cells: str, tmp_path: Path) -> None:
    values = np.minimum(texts() // 6, 1 if cells == "binary" else 2)
    if cells == "gaussian":
        values = np.log1p(texts())
    done = fit(write_csv(tmp_path / "x.csv", values), tmp_path / "run", "--cells", cells, iterations=60)
    assert done.code == 0, done.err
    done = call("explain", tmp_path / "run", "--clusters", 3)
    assert done.code == 0, done.err
    assert {"gaussian": "(mean ", "binary": "% against ", "categorical": "; 2 in g"}[cells] in done.out


def test_the_same_run_is_explained_the_same(run: Path) -> None:
    assert call("explain", run).out == call("explain", run).out


def test_another_table_is_refused(run: Path, tmp_path: Path) -> None:
    done = call("explain", run, "--table", write_csv(tmp_path / "y.csv", counts()))
    assert done.code == 2
    assert "is another table than the run in" in done.err
    assert not (tmp_path / "run").exists()


def test_a_wrong_number_says_what_may_be(run: Path) -> None:
    done = call("explain", run, "--clusters", "most")
    assert done.code == 2
    assert "give a number of clusters, or auto or fine" in done.err


def test_a_model_explains_its_clusters() -> None:
    model = NPLBM(60, cells="counts").fit(texts())
    told = model.explain(texts())
    assert [profile.label for profile in told] == [0, 1, 2]
    for profile in told:
        subject = int(np.flatnonzero(model.row_labels_ == profile.label)[0] % 3)
        assert set(range(5 * subject, 5 * subject + 5)) <= set(profile.others.tolist())
    of_columns = model.explain(texts(), 2, axis="columns")
    assert sum(profile.size for profile in of_columns) == WORDS


def test_what_is_told_stays_in_its_line(tmp_path: Path) -> None:
    lines = ["id," + ",".join(f'"g\n{j}\x1b[2J"' for j in range(WORDS))]
    lines += [f'"r\n{i}",' + ",".join(f"{cell:g}" for cell in row) for i, row in enumerate(texts())]
    (tmp_path / "x.csv").write_text("\n".join(lines) + "\n")
    assert fit(tmp_path / "x.csv", tmp_path / "run", "--cells", "counts", iterations=60).code == 0
    done = call("explain", tmp_path / "run")
    assert (done.code, done.err) == (0, "")
    assert len(done.out.splitlines()) == 3 * 2 + 1
    assert "g\\n" in done.out
    assert "\x1b" not in done.out


def test_one_cluster_has_nothing_to_be_set_apart_from(tmp_path: Path) -> None:
    done = fit(
        write_csv(tmp_path / "x.csv", texts()),
        tmp_path / "run",
        *("--cells", "counts", "--fix-row-clusters", 1, "--shard-axis", "rows"),
    )
    assert done.code == 0, done.err
    out = call("explain", tmp_path / "run").out
    said = "Cluster 0: 90 rows; it is the only cluster, so nothing sets it apart."
    assert said in out.splitlines()
    assert [each["sentence"] for each in json.loads((tmp_path / "run" / "run.json").read_text())["profiles"]] == [said]


@pytest.mark.parametrize(
    "options",
    [
        ("--cells", "counts", "--shard-axis", "rows"),
        ("--cells", "counts", "--shard-axis", "columns", "--shards", 2),
        ("--cells", "gaussian", "--transform", "log1p", "--shards", 2),
    ],
    ids=["rows", "columns", "numbers"],
)
def test_a_run_on_a_small_table_tells_what_makes_its_clusters(tmp_path: Path, options: tuple[str, ...]) -> None:
    run = tmp_path / "run"
    done = fit(write_csv(tmp_path / "x.csv", texts()), run, *options, iterations=60)
    assert done.code == 0, done.err
    record = json.loads((run / "run.json").read_text())
    for axis, name, number in (("rows", "profiles", 3), ("columns", "column_profiles", 2)):
        told, said = record[name], call("explain", run, "--axis", axis).out
        assert [each["cluster"] for each in told] == list(range(len(told)))
        assert len(told) >= number
        assert all(each["sentence"] in said for each in told)


def test_a_run_on_a_large_table_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "MOST_BYTES", 100)
    rows = ("--cells", "counts", "--shard-axis", "rows")
    done = fit(write_csv(tmp_path / "x.csv", texts()), tmp_path / "run", *rows, iterations=20)
    assert done.code == 0, done.err
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert "profiles" not in record
    assert "column_profiles" not in record


def test_a_model_explains_the_fitted_table_alone() -> None:
    model = NPLBM(60, cells="counts").fit(texts())
    for other in (texts()[::-1], np.full((TEXTS, WORDS), 3.0)):
        with pytest.raises(InputError, match="X is another table than the fitted one"):
            model.explain(other)


@pytest.mark.parametrize("cells", ["gaussian", "binary", "categorical"])
def test_a_model_knows_its_table_however_it_is_stored(cells: str) -> None:
    values = np.minimum(texts() // 6, 1 if cells == "binary" else 2)
    if cells == "gaussian":
        values = np.log1p(texts()) + 1e4
    values[3, 4] = np.nan
    values[7] = np.nan
    model = NPLBM(20, cells=cells, n_shards=2).fit(values)
    for axis in ("rows", "columns"):
        assert model.explain(csr_array(values), None, axis=axis)  # type: ignore[arg-type]


def test_what_is_no_number_or_axis_is_said() -> None:
    model = NPLBM(20, cells="counts").fit(texts())
    for number in (0, -1, 2.5, True, "fine"):
        with pytest.raises(InputError, match="is not a number of clusters; give a whole number from 1, 'auto' or None"):
            model.explain(texts(), number)
    for call_it in (lambda: model.explain(texts(), axis="row"), lambda: model.labels_frame(axis="row")):  # type: ignore[arg-type]
        with pytest.raises(InputError, match="axis is 'row'; give 'rows' or 'columns'"):
            call_it()
    assert len(model.explain(texts(), np.int64(2))) == 2  # type: ignore[arg-type]


def test_what_was_merged_or_transformed_is_said(tmp_path: Path) -> None:
    table = write_csv(tmp_path / "x.csv", texts())
    assert fit(table, tmp_path / "run", "--transform", "log1p", iterations=60).code == 0
    out = call("explain", tmp_path / "run", "--clusters", 2).out.splitlines()
    assert out[0] == "The 3 row clusters of the run are merged into 2."
    assert out[-2] == "The figures are in the units of the cells after log1p."


@pytest.mark.parametrize("seed", range(4))
def test_what_is_told_shows_in_the_figures_of_the_cluster(seed: int) -> None:
    """Small clusters, which are other ones where they are found without a column."""
    rng = np.random.default_rng(seed)
    kinds = (np.arange(90)[:, None] % 3) == (np.arange(60) % 3)
    values = (rng.random((90, 60)) < np.where(kinds, 0.75, 0.25)).astype(np.float64)
    for profile in NPLBM(6, cells="binary").fit(values).explain(values, None):
        own, rest = profile.own["share"][:, 0], profile.rest["share"][:, 0]
        # A column that is the same in both has no more than this.
        spread = np.sqrt(rest * (1 - rest) * (1 / profile.size + 1 / (90 - profile.size)))
        assert (np.abs(own - rest) > spread).all()
