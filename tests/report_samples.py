"""Run folders with known blocks, for tests of the report."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disnplbm.posterior.normality import MomentSums, Normality
from disnplbm.posterior.verdict import Verdict
from disnplbm.report.heatmap import HeatmapBuilder


def block_matrix(
    row_labels: NDArray[np.int64], column_labels: NDArray[np.int64], *, spread: float = 1.0, seed: int = 0
) -> NDArray[np.float64]:
    """Cells with a mean of their own per block, several standard deviations apart."""
    rng = np.random.default_rng(seed)
    clusters = (row_labels.max() + 1, column_labels.max() + 1)
    means = rng.permutation(np.linspace(-6, 6, clusters[0] * clusters[1])).reshape(clusters)
    return means[row_labels][:, column_labels] + spread * rng.normal(size=(len(row_labels), len(column_labels)))


def write_run_folder(
    folder: Path,
    values: NDArray[np.float64],
    row_labels: NDArray[np.int64],
    column_labels: NDArray[np.int64],
    *,
    row_names: list[str] | None = None,
    column_names: list[str] | None = None,
    iterations: int = 100,
    name: str = "sample",
    scores: dict[str, float] | None = None,
    warnings: tuple[str, ...] = (),
) -> Path:
    """Write what a finished run holds, except report.html; values (n, p) or (n, p, d) with NaN where missing."""
    folder.mkdir(parents=True, exist_ok=True)
    n, p = values.shape[:2]
    cells = values.reshape(n, p, -1)
    k, l = int(row_labels.max()) + 1, int(column_labels.max()) + 1  # noqa: E741
    _write_labels(folder / "rows.csv", row_names or [str(i) for i in range(n)], row_labels)
    _write_labels(folder / "columns.csv", column_names or [str(j) for j in range(p)], column_labels)
    normality = _normality(cells, row_labels, column_labels)
    _write_blocks(folder / "blocks.csv", cells, row_labels, column_labels, normality)
    log_joint = _write_trace(folder / "trace.csv", iterations, k, l)
    builder = HeatmapBuilder(row_labels, column_labels)
    builder.add(cells[:, :, 0], np.arange(n))
    builder.finish().save(folder / "heatmap.npz")
    run = {
        "name": name, "rows": n, "columns": p, "dimension": cells.shape[2], "row_clusters": k, "column_clusters": l,
        "blocks": k * l, "log_joint": log_joint, "iterations": iterations, "shards": 8, "seconds": 4.18,
        "seconds_total": 5.62, "seconds_per_iteration": 4.18 / iterations, "peak_memory_mb": 231.4,
        "digest": "3f9a6c1e0b7d52c48e1f0a9b6d3c7e52f4817a0c9d6b3e2f1a5c8d7b6e4f3a21",
        "parameters": {
            "iterations": iterations, "burn_in": iterations // 5, "alpha": 5.0, "beta": 2.0, "seed": 0, "shards": 8,
            "start": "random", "view": "global", "join": "blockwise", "pair_moves": True, "prior_scale": "covariance",
            "power": 1.0,
        },
        "versions": {"disnplbm": "0.1.0", "algorithm": 1, "python": "3.11.2", "numpy": "2.3.1", "numba": "0.62.0"},
        "data": {"path": f"{name}.npy", "sha256": "a3" * 32, "axis": "rows", "transform": "none"},
        "chains": 1, "verdict": Verdict("no_draws", 1).to_dict(),
        "warnings": list(warnings), "created": "2025-01-31T12:00:00+00:00", "estimate": "last",
        "ppc": normality.to_dict(),
    }  # fmt: skip
    if scores is not None:
        run["scores"] = scores
    (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
    return folder


def add_draws(folder: Path, *, agree: bool | None = True, runner_up: bool = True) -> Path:
    """Turn a run into one of two chains that kept draws.

    Item i has confidence 1 - i / 1000; blocks have posterior means and standard deviations 5 more than their cells',
    with intervals of +-10; two of a cluster are together in 300 of 400 draws, two of different ones in 100.
    """
    for name in ("rows.csv", "columns.csv"):
        table = _read(folder / name)
        _write(folder / name, [[*table[0], "confidence"], *([*row, 1 - i / 1000] for i, row in enumerate(table[1:]))])
    head, *body = _read(folder / "blocks.csv")
    for at, name in [(at, name) for at, name in enumerate(head) if name.startswith(("mean", "sd"))]:
        kind = name.split("_")[0]
        head += [name.replace(kind, f"{kind}_{part}") for part in ("posterior", "low", "high")]
        for row in body:
            row += [float(row[at] or 0) + shift for shift in (5, -5, 15)]
    _write(folder / "blocks.csv", [head, *body])
    head, *body = _read(folder / "trace.csv")
    _write(folder / "trace.csv", [head, *body, *([*row[:1], float(row[1]) - 500, *row[2:-1], 1] for row in body)])
    _write_similarities(folder)
    run = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    k, l = run["row_clusters"], run["column_clusters"]  # noqa: E741
    second = {"clusters": l + 1, "share": 0.19, "distance": 0.1, "moved": 0.077}
    run |= {
        "estimate": "consensus", "chains": 2,
        "verdict": {
            "kind": {True: "settled", False: "stuck", None: "undefined"}[agree], "chains": 2, "rows": "settled",
            "columns": "settled" if agree is not False else "stuck", "log_joint": "settled",
            "r_hat": None if agree is not False else 10.8, "ari": None if agree is not False else 0.7,
        },
        "posterior": {
            "draws": 200 if agree is False else 400, "chains": [0, 1] if agree is not False else [0],
            "partition": {"rows": "consensus", "columns": "consensus"},
            "shown": "The result comes from chain 0 alone." if agree is False else "",
            "answers": [
                {
                    "chain": chain, "reported": chain == 0 or agree is not False,
                    "mean_log_joint": -100.0 - 500 * chain,
                    "row_clusters": k, "column_clusters": l, "row_clusters_drawn": [k, k + 7],
                    "column_clusters_drawn": [l, l], "row_ari": 1.0, "column_ari": 1.0 - 0.3 * chain,
                }
                for chain in range(2)
            ],
            "row_clusters": {str(k): 0.625, str(k + 1): 0.25, str(k + 7): 0.125},
            "column_clusters": {str(l): 1.0},
            "both": {f"{k} x {l}": 0.625, f"{k + 1} x {l}": 0.25, f"{k + 7} x {l}": 0.125},
            "expected_loss": {"kind": "vi", "rows": 0.5, "columns": 0.0},
            "mean_confidence": {"rows": 0.759, "columns": 0.956},
            "runner_up": {"rows": None, "columns": second if runner_up else None},
        },
        "diagnosis": {
            "chains": 2, "draws": 200, "row_ari": [], "column_ari": [], "agree": agree,
            "sentence": "A sentence on the chains.",
            "traces": [
                {"name": "log_joint", "r_hat": 1.004, "ess_bulk": 142.3, "ess_tail": 151.2, "agree": agree},
                {"name": "column_clusters", "r_hat": None, "ess_bulk": None, "ess_tail": None, "agree": None},
            ],
        },
    }  # fmt: skip
    (folder / "run.json").write_text(json.dumps(run), encoding="utf-8")
    return folder


def _read(path: Path) -> list[list[Any]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def _write(path: Path, rows: list[list[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def _write_labels(path: Path, names: list[str], labels: NDArray[np.int64]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "label"])
        writer.writerows(zip(names, labels.tolist(), strict=True))


def _write_similarities(folder: Path) -> None:
    arrays: dict[str, NDArray[Any]] = {"draws": np.array(400)}
    for noun in ("row", "column"):
        labels = np.array([int(line[1]) for line in _read(folder / f"{noun}s.csv")[1:]])
        counts = np.where(labels[:, None] == labels, 300, 100).astype(np.uint16)
        np.fill_diagonal(counts, 400)
        sizes = np.bincount(labels)
        clusters = np.full((len(sizes), len(sizes)), 0.25)
        np.fill_diagonal(clusters, np.where(sizes > 1, 0.75, np.nan))
        arrays |= {f"{noun}s": counts, f"{noun}_clusters": clusters}
    np.savez(folder / "similarity.npz", **arrays)


def _normality(
    cells: NDArray[np.float64], row_labels: NDArray[np.int64], column_labels: NDArray[np.int64]
) -> Normality:
    shape = int(row_labels.max()) + 1, int(column_labels.max()) + 1, cells.shape[2]
    sums = MomentSums(row_labels, column_labels, np.zeros(shape))
    sums.add(cells, np.arange(len(cells)), complete=False)
    return sums.normality()


def _write_blocks(
    path: Path,
    cells: NDArray[np.float64],
    row_labels: NDArray[np.int64],
    column_labels: NDArray[np.int64],
    normality: Normality,
) -> None:
    d = cells.shape[2]
    suffixes = [""] if d == 1 else [f"_{c}" for c in range(d)]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        checks = [f"{name}{suffix}" for name in ("skewness", "kurtosis", "ppc") for suffix in suffixes]
        means = (f"{name}{suffix}" for suffix in suffixes for name in ("mean", "sd"))
        writer.writerow(["k", "l", "rows", "columns", "cells", *means, *checks])
        for k in range(int(row_labels.max()) + 1):
            for l in range(int(column_labels.max()) + 1):  # noqa: E741
                block = cells[row_labels == k][:, column_labels == l].reshape(-1, d)
                block = block[~np.isnan(block).any(axis=1)]
                numbers = ("", "") * d if not len(block) else np.column_stack([block.mean(0), block.std(0)]).ravel()
                sizes = [int((row_labels == k).sum()), int((column_labels == l).sum()), len(block)]
                found = [
                    values for array in (normality.skewness, normality.kurtosis, normality.p) for values in array[k, l]
                ]
                writer.writerow([k, l, *sizes, *numbers, *("" if np.isnan(value) else value for value in found)])


def _write_trace(path: Path, iterations: int, k: int, l: int) -> float:  # noqa: E741
    rng = np.random.default_rng(1)
    t = np.arange(1, iterations + 1)
    log_joint = -2_950_000.0 - 900_000 * np.exp(-t / 4) + rng.normal(scale=900, size=iterations)
    rows = np.maximum(1, k + np.round(9 * np.exp(-t / 6) + rng.choice([0, 0, 0, 0, 1], iterations))).astype(int)
    rows[-1] = k
    columns = np.maximum(1, l + np.round(3 * np.exp(-t / 3))).astype(int)
    seconds = 0.04 + 0.03 * np.exp(-t / 3) + rng.gamma(2, 0.001, iterations)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["iteration", "log_joint", "row_clusters", "column_clusters", "seconds", "chain"])
        columns_of = (t.tolist(), log_joint.tolist(), rows.tolist(), columns.tolist(), seconds.tolist())
        writer.writerows([*line, 0] for line in zip(*columns_of, strict=True))
    return float(log_joint[-1])
