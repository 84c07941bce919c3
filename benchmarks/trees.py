"""What a tree of clusters takes: ``python -m benchmarks.trees [--clusters 200] [--groups 200]``.

Blocks of counts, drawn at random; the tree is grown three times, and the fastest is printed.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from disnplbm.families.counts import Counts
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.posterior.trees.growing import grow_tree

REPEATS = 3


def main() -> None:
    """Grow a tree, and print its seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clusters", type=int, default=200)
    parser.add_argument("--groups", type=int, default=200)
    options = parser.parse_args()
    generator = np.random.default_rng(0)
    family, sizes = Counts(), generator.integers(1, 500, options.clusters)
    blocks = family.empty((options.clusters, options.groups))
    exposure = sizes[:, None] * generator.gamma(1.0, 1.0, options.groups)
    blocks.values[..., 1] = exposure
    blocks.values[..., 0] = generator.poisson(exposure * generator.gamma(2.0, 0.5, exposure.shape))
    seconds = []
    for _ in range(REPEATS):
        began = time.process_time()
        grow_tree([blocks], sizes, PartitionPrior.of(1.0), [family])
        seconds.append(time.process_time() - began)
    print(f"{options.clusters:,} clusters x {options.groups:,} groups: {min(seconds):.2f} s")


if __name__ == "__main__":
    main()
