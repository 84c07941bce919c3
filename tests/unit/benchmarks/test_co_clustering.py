"""The classical co-clusterings of the study of counts: planted blocks, and sums that their criteria stand for."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.studies.co_clustering import by_information, by_modularity
from scipy.sparse import csr_array

from disnplbm.posterior.scores import partition_scores


def planted() -> tuple[csr_array, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    rows, columns = generator.integers(3, size=90), generator.integers(3, size=60)
    rates = np.where(rows[:, None] == columns, 2.0, 0.3)
    return csr_array(generator.poisson(rates).astype(np.float64)), rows, columns


@pytest.mark.parametrize("method", [by_information, by_modularity])
def test_planted_blocks_are_found(method: object) -> None:
    counts, rows, columns = planted()
    found = method(counts, 3, 0)  # type: ignore[operator]
    assert partition_scores(rows, found.rows)[0] == pytest.approx(1.0)
    assert partition_scores(columns, found.columns)[0] == pytest.approx(1.0)


def test_the_objectives_are_those_of_the_definitions() -> None:
    counts, *_ = planted()
    shares = counts.toarray() / counts.sum()
    found = by_information(counts, 3, 1)
    z, w = np.eye(3)[found.rows], np.eye(3)[found.columns]
    blocks = z.T @ shares @ w
    information = sum(
        blocks[k, c] * np.log(blocks[k, c] / (blocks[k].sum() * blocks[:, c].sum())) for k in range(3) for c in range(3)
    )
    assert found.objective == pytest.approx(information)
    found = by_modularity(counts, 3, 1)
    alike = found.rows[:, None] == found.columns
    independent = shares.sum(axis=1)[:, None] * shares.sum(axis=0)
    assert found.objective == pytest.approx((shares - independent)[alike].sum())


def test_a_seed_gives_the_same_partition() -> None:
    counts, *_ = planted()
    assert np.array_equal(by_information(counts, 4, 2).rows, by_information(counts, 4, 2).rows)
