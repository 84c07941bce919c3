"""Consensus partitions of large samples of draws: ``python -m benchmarks.consensus [--quick]``.

Concentrated: every tenth item is in doubt between two clusters, most often in one of them. Diffuse: every item is in
doubt, each with clusters and odds of its own, and in half of the draws two clusters are one. Seconds are processor time
of one thread, of the second call: the first one compiles. The best screened draw shows what the moves add.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from benchmarks.machine import description
from benchmarks.scale import Scale
from benchmarks.tables import seconds, table
from disnplbm.posterior.consensus import consensus
from disnplbm.posterior.losses import loss_of
from disnplbm.posterior.partition_sample import UnsignedLabels, collapse
from disnplbm.posterior.screening import best_draws

#: Clusters of the true partition, and seconds that 100,000 items in 200 draws may take.
CLUSTERS, BAR = 10, 5.0


def drawn(n_items: int, n_draws: int, *, diffuse: bool) -> UnsignedLabels:
    """Labels of draws around one partition, shape (n_draws, n_items)."""
    rng = np.random.default_rng(1)
    first = rng.integers(0, CLUSTERS, n_items, dtype=np.uint8)
    second = (first + rng.integers(1, CLUSTERS, n_items, dtype=np.uint8)) % CLUSTERS
    odds = rng.beta(1.0, 4.0, n_items) if diffuse else np.where(np.arange(n_items) % 10 == 0, 0.05, 0.0)
    labels = np.empty((n_draws, n_items), dtype=np.uint8)
    for s in range(n_draws):
        labels[s] = np.where(rng.random(n_items) < odds, second, first)
        if diffuse and s % 2:
            labels[s][labels[s] == CLUSTERS - 1] = 0
    return labels


def row(n_items: int, n_draws: int, *, diffuse: bool, loss: str) -> tuple[str, ...]:
    """One measured sample as a row of the table."""
    labels = drawn(n_items, n_draws, diffuse=diffuse)
    consensus(labels[:, : max(n_items // 100, 100)], loss)
    began = time.process_time()
    result = consensus(labels, loss)
    taken = time.process_time() - began
    sample, _ = collapse(labels)
    terms = loss_of(loss, n_items, n_draws)
    best = sample.labels[best_draws(sample, terms, 8)[0]].astype(np.int32)
    screened = float(sample.distances(best, terms).mean() * terms.unit)
    return (
        f"{n_items:,} x {n_draws}",
        "diffuse" if diffuse else "concentrated",
        loss,
        f"{len(sample.weights):,}",
        seconds(taken),
        f"{screened:.4f}",
        f"{result.expected_loss:.4f}",
        str(int(result.labels.max()) + 1),
        "none" if result.runner_up is None else f"{result.runner_up.share:.2f}",
    )


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small version, to check the benchmark itself")
    scale = Scale(parser.parse_args().quick)
    print(description(), f"\nBar: {BAR:g} s for {scale.rows(100_000):,} x 200.\n")
    sizes = [(scale.rows(100_000), 200, loss) for loss in ("vi", "binder")] + [(scale.rows(500_000), 100, "vi")]
    rows = [row(n, draws, diffuse=diffuse, loss=loss) for n, draws, loss in sizes for diffuse in (False, True)]
    header = ("items x draws", "posterior", "loss", "types", "time", "best draw", "consensus", "K", "runner-up's share")
    print(table(header, rows))


if __name__ == "__main__":
    main()
