"""A table of three parts, from its chains to what they found and to the files of a run folder."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disnplbm.engine.drive import Ended, InMemory, Step, Stopped, drive, last_result
from disnplbm.engine.estimate import blocks_of
from disnplbm.engine.findings import Findings, find
from disnplbm.engine.folder import RunFolder
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem
from disnplbm.engine.recording import FolderRecorder
from disnplbm.engine.stages import Stages
from disnplbm.errors import InputError
from disnplbm.kernels.partition_prior import PartitionPrior, log_partition
from disnplbm.parts import slices_of
from disnplbm.posterior.draw_store import open_draws, pack_draws, write_draws
from disnplbm.posterior.draws import Draw, Draws
from disnplbm.posterior.export import write_result
from disnplbm.posterior.trees.cutting import cut, most_branches
from disnplbm.posterior.trees.grown import Drawn, grow_trees
from disnplbm.posterior.trees.store import load_trees, save_trees
from marks import long
from mixed_tables import LENGTHS, planted, problem_of

OPTIONS = Options(iterations=20, burn_in=10, draws=5, chains=2, seed=4, sampler="split-merge", beta="learn")
N, P = 40, sum(LENGTHS)
ROWS = np.arange(N) % 3
PLACES = slices_of(LENGTHS)


def mixed(n_shards: int = 2, options: Options = OPTIONS) -> Problem:
    return problem_of(planted(ROWS), n_shards, options)


def ran(problem: Problem, options: Options = OPTIONS, threads: int = 1) -> tuple[list[Ended], list[Draw]]:
    """Chains at their ends, and the draws that they kept."""
    kept = list[Draw]()

    def see(step: Step) -> bool:
        kept.extend([] if step.draw is None else [step.draw])
        return False

    return drive(problem, options, problem.start("random"), InMemory(see), threads), kept


def found(problem: Problem, options: Options = OPTIONS) -> Findings:
    ended, kept = ran(problem, options)
    meta = problem.draws_meta(options, "none", None)
    return find(problem, ended, meta, lambda: Draws.of(kept, meta), options, Stages())


@pytest.fixture(scope="module")
def findings() -> Findings:
    return found(mixed())


def content(draws: list[Draw]) -> list[bytes]:
    return [
        b"".join(array.tobytes() for blocks in draw.parts for array in blocks.arrays)
        + draw.row_labels.tobytes()
        + draw.column_labels.tobytes()
        + repr((draw.betas, draw.log_joint)).encode()
        for draw in draws
    ]


@pytest.mark.parametrize("sampler", ["split-merge", long("collapsed")])
def test_threads_do_not_show(sampler: str) -> None:
    options = replace(OPTIONS, sampler=sampler)
    one, draws = ran(mixed(options=options), options, 1)
    three, others = ran(mixed(options=options), options, 3)
    digests = [last_result(mixed(options=options), ended).digest() for ended in (one, three)]
    assert digests[0] == digests[1]
    assert content(draws) == content(others)
    assert len(draws) == 2 * OPTIONS.n_draws
    assert all(len(draw.betas) == len(set(draw.betas)) == 3 for draw in draws)


def test_a_run_that_is_stopped_again_and_again_comes_to_the_same_bits(tmp_path: Path) -> None:
    problem, folder = mixed(), RunFolder(tmp_path)
    folder.work.mkdir()
    undisturbed, draws = ran(problem)
    left = Every(3)
    while True:
        recorder = FolderRecorder(folder, problem, OPTIONS, lambda *_: None, left)
        try:
            ended = drive(problem, OPTIONS, problem.start("random"), recorder, 2)
            break
        except Stopped:
            recorder.left()
    assert left.asked > 10
    assert last_result(problem, ended).digest() == last_result(problem, undisturbed).digest()
    meta = problem.draws_meta(OPTIONS, "none", None)
    assert content(list(pack_draws(folder.store(), tmp_path / "draws.npz", meta))) == content(draws)


class Every:
    """Asks to stop after every few iterations."""

    def __init__(self, number: int) -> None:
        self._number, self.asked = number, 0

    def __call__(self) -> bool:
        self.asked += 1
        return self.asked % self._number == 0


def test_the_user_sees_one_axis_of_columns() -> None:
    problem = mixed()
    ended, draws = ran(problem)
    state = ended[0].state
    assert state is not None
    result = last_result(problem, ended)
    for part, where in zip(state.chain.broadcast.parts, PLACES, strict=True):
        own = result.column_labels[where]
        np.testing.assert_array_equal(own - own.min(), part.column_labels)
    assert result.n_column_clusters == int(result.column_labels.max()) + 1 == ended[0].trace.column_clusters[-1]
    again = problem.start("given", result.row_labels, result.column_labels)
    assert again.columns is not None
    assert [len(labels) for labels in again.columns] == list(LENGTHS)
    # The joint density is the one of the sums over the table, and not of what was kept on the way.
    rows, columns = draws[-1].row_labels, draws[-1].column_labels
    for kept, summed in zip(draws[-1].parts, blocks_of(problem, rows, columns), strict=True):
        for one, other in zip(kept.arrays, summed.arrays, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)


def test_labels_to_start_from_of_another_length_are_refused() -> None:
    with pytest.raises(InputError, match=f"start: 4 column labels given for {P} columns"):
        mixed().start("given", None, np.zeros(4, dtype=np.int32))


def test_draws_come_back_from_their_file(tmp_path: Path, findings: Findings) -> None:
    assert findings.draws is not None
    write_draws(findings.draws, tmp_path / "draws.npz", findings.meta)
    back = open_draws(tmp_path / "draws.npz")
    assert content(list(back)) == content(list(findings.draws))
    assert back.meta.lengths == LENGTHS
    assert [part.cells for part in back.meta.parts] == ["gaussian", "counts", "categorical"]
    some = back[0].parts
    for family, own, blocks in zip(back.meta.families, findings.meta.families, some, strict=True):
        np.testing.assert_array_equal(family.log_marginals(blocks), own.log_marginals(blocks))


def test_no_cluster_holds_columns_of_two_parts(findings: Findings) -> None:
    summary, result = findings.summary, findings.result
    assert summary is not None
    assert np.array_equal(summary.rows.labels, result.row_labels)
    of_parts = [set(result.column_labels[where].tolist()) for where in PLACES]
    assert sorted(label for part in of_parts for label in part) == list(range(result.n_column_clusters))
    assert [blocks.shape[1] for blocks in result.parts] == list(map(len, of_parts))
    assert len(summary.columns.confidence) == P
    assert [list(part.figures) for part in summary.parts] == [["mean", "sd"], ["rate"], ["share"]]
    # The planted clusters, which the three parts show together.
    assert result.n_row_clusters == 3
    assert len({(int(truth), int(label)) for truth, label in zip(ROWS, result.row_labels, strict=True)}) == 3


def test_losses_of_the_rows_are_sums_over_the_parts() -> None:
    options = replace(OPTIONS, estimate="last", tree_loss="model")
    problem = mixed(options=options)
    ended, _ = ran(problem, options)
    result, meta = last_result(problem, ended), problem.draws_meta(options, "none", None)
    trees = grow_trees(result, meta, Drawn(None, None), "model")
    assert trees is not None

    def joint(rows: np.ndarray, columns: np.ndarray) -> float:
        alpha = PartitionPrior.of(result.trace.alpha[-1])
        total = log_partition(np.bincount(rows), alpha)
        for family, blocks in zip(meta.families, blocks_of(problem, rows, columns), strict=True):
            total += float(family.log_marginals(blocks).sum())
        for beta, where in zip(result.betas, PLACES, strict=True):
            total += log_partition(np.bincount(columns[where] - columns[where].min()), PartitionPrior.of(beta))
        return total

    fine = joint(result.row_labels, result.column_labels)
    one_row = joint(np.zeros(N, dtype=np.int32), result.column_labels)
    assert trees.rows.losses.sum() == pytest.approx(fine - one_row, rel=1e-9)
    one_each = np.repeat(np.arange(3), LENGTHS).astype(np.int32)
    assert trees.columns.losses.sum() == pytest.approx(fine - joint(result.row_labels, one_each), rel=1e-9)


def test_a_cut_has_a_cluster_of_each_part_at_least(findings: Findings) -> None:
    trees, result = findings.trees, findings.result
    assert trees is not None
    part = np.repeat(np.arange(3), [blocks.shape[1] for blocks in result.parts])
    assert trees.columns.part_of_clusters == part.tolist()
    for number in range(3, most_branches(trees.columns) + 1):
        labels = cut(trees.columns, number).labels
        # Branches are numbered part after part, and none is of two parts.
        assert sorted({(int(p), int(label)) for p, label in zip(part, labels, strict=True)}) == [
            (int(part[labels == label][0]), label) for label in range(number)
        ]
        merged = trees.merge_blocks(np.arange(result.n_row_clusters, dtype=np.int32), labels)
        assert sum(blocks.shape[1] for blocks in merged) == number
    with pytest.raises(InputError, match="ask for 3, one for each kind of columns, or more"):
        cut(trees.columns, 2)


def test_trees_come_back_from_their_file(tmp_path: Path, findings: Findings) -> None:
    assert findings.trees is not None
    save_trees(findings.trees, tmp_path / "tree.npz")
    back = load_trees(tmp_path / "tree.npz")
    for tree, own in ((back.rows, findings.trees.rows), (back.columns, findings.trees.columns)):
        assert np.array_equal(tree.pairs, own.pairs)
        assert tree.n_parts == own.n_parts
    for blocks, own_blocks in zip(back.parts, findings.trees.parts, strict=True):
        for one, other in zip(blocks.arrays, own_blocks.arrays, strict=True):
            np.testing.assert_array_equal(one, other)


def test_the_files_say_which_part(tmp_path: Path, findings: Findings) -> None:
    names = [f"c{column}" for column in range(P)]
    write_result(tmp_path, findings.result, map(str, range(N)), names, findings.meta, findings.fits, findings.summary)
    columns = read(tmp_path / "columns.csv")
    assert [line["part"] for line in columns] == [str(part) for part in np.repeat(np.arange(3), LENGTHS)]
    blocks = read(tmp_path / "blocks.csv")
    assert len(blocks) == findings.result.n_row_clusters * findings.result.n_column_clusters
    own = {"0": {"mean", "sd"}, "1": {"rate"}, "2": {"share_0", "share_1", "share_2"}}
    for line in blocks:
        told = {name for name in ("mean", "sd", "rate", "share_0", "share_1", "share_2") if line[name] != ""}
        assert told == own[line["part"]]
        assert {label["part"] for label in columns if label["label"] == line["l"]} == {line["part"]}
    first = read(tmp_path / "rows.csv")[0]
    assert "part" not in first


def read(path: Path) -> list[dict[str, Any]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_pictures_are_of_each_part(findings: Findings) -> None:
    assert [heatmap.shape for heatmap in findings.heatmaps] == [(N, length) for length in LENGTHS]
    numbers, counts, codes = planted(ROWS)
    for heatmap, values in zip(findings.heatmaps, (numbers, counts, codes), strict=True):
        np.testing.assert_allclose(heatmap.original.mean, values, atol=0.05 * np.ptp(values))


ONE_PART: list[Callable[[Findings], Any]] = [
    lambda findings: findings.meta.family,
    lambda findings: findings.meta.cells,
    lambda findings: findings.result.blocks,
    lambda findings: findings.draws[0].blocks,  # type: ignore[index]
    lambda findings: findings.heatmap,
]


@pytest.mark.parametrize("ask", ONE_PART)
def test_what_knows_one_part_only_says_so_in_a_line(findings: Findings, ask: Callable[[Findings], Any]) -> None:
    with pytest.raises(InputError, match="for tables with one kind of columns, and here there are 3 kinds"):
        ask(findings)


@pytest.mark.parametrize(("asked", "columns"), [("2x4", 4), ("2x1", 3)])
def test_a_level_that_is_asked_for_keeps_a_cluster_of_each_part(asked: str, columns: int) -> None:
    options = replace(OPTIONS, clusters=asked)
    found_there = found(mixed(options=options), options)
    level, curves, trees = found_there.level, found_there.curves, found_there.trees
    assert level is not None
    assert curves is not None
    assert trees is not None
    assert level.rows.suggestion.clusters == 2
    assert level.columns.suggestion.clusters == columns == int(level.columns.branches.max()) + 1
    _, shown = found_there.shown
    own = [set(shown[where].tolist()) - {-1} for where in PLACES]
    assert all(own)
    assert sum(map(len, own)) == columns
    # Levels that can be chosen begin with one branch more than there are parts, and cost less the finer they are.
    assert curves.columns.levels == list(range(4, most_branches(trees.columns) + 1))
    assert len(curves.columns.lost) == len(curves.columns.levels) == len(curves.columns.confidence or [])
    assert len(curves.columns.agreement or []) <= len(curves.columns.levels)
