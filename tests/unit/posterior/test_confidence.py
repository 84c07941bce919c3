"""Confidence is the probability of an event, and calibrated where the truth is one more draw."""

from __future__ import annotations

import numpy as np
import pytest

from disnplbm.posterior.confidence import confidence
from disnplbm.posterior.consensus import consensus
from disnplbm.posterior.partition_sample import collapse
from disnplbm.posterior.similarity import similarity


def test_confidence_is_the_mean_similarity_to_the_other_members_or_the_chance_to_be_alone() -> None:
    rng = np.random.default_rng(0)
    draws = rng.integers(0, 4, (25, 12)).astype(np.uint8)
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 1, 0], dtype=np.int32)
    sample, types = collapse(draws)
    first = np.unique(types, return_index=True)[1]
    together = similarity(draws).astype(float)
    expected = [
        together[i, (labels == labels[i]) & (np.arange(12) != i)].mean() if (labels == labels[i]).sum() > 1
        else (draws == draws[:, [i]]).sum(axis=1).__eq__(1).mean()
        for i in range(12)
    ]  # fmt: skip
    np.testing.assert_allclose(confidence(sample, labels[first])[types], expected, atol=1e-7)


@pytest.mark.long
def test_confidence_is_calibrated() -> None:
    """Draws and truth from one distribution: the true share of cluster-mates that stay is what confidence said."""
    said, kept = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        base, doubt = rng.integers(0, 4, 60), rng.beta(1, 3, 60)
        labels = np.where(rng.random((101, 60)) < doubt, rng.integers(0, 4, (101, 60)), base).astype(np.uint8)
        result, truth = consensus(labels[1:]), labels[0]
        mates = (result.labels[:, None] == result.labels) & ~np.eye(60, dtype=bool)
        true = mates & (truth[:, None] == truth)
        many = mates.any(axis=1)
        said.extend(result.confidence[many])
        kept.extend(true.sum(axis=1)[many] / mates.sum(axis=1)[many])
    fifths = np.array_split(np.argsort(said), 5)
    means = [(np.mean(np.array(said)[fifth]), np.mean(np.array(kept)[fifth])) for fifth in fifths]
    assert means[-1][0] - means[0][0] > 0.3
    assert all(abs(confident - true) < 0.03 for confident, true in means)
