"""How far the sampler's draws are from the exact posterior with 1, 2 and 3 shards: a markdown table.

The posterior of two small tables is enumerated (tests/statistical); total variation is measured over the same number
of thinned draws for every row, beside the same of as many independent draws, as a perfect sampler would show it.
"""

from __future__ import annotations

import argparse
import time

from disnplbm.sampler.parameters import Parameters
from statistical.chains import sampled
from statistical.goodness import total_variation
from statistical.problems import ALPHA, BETA, problem

TABLES = ((3, 4), (6, 3))

#: Iterations between draws; correlations between draws are then below 0.05.
THIN = 3

CHOICES = {
    "global, blockwise (default)": {},
    "the same, no pair moves": {"pair_moves": False},
    "local, averaged (as published)": {"view": "local", "join": "averaged", "pair_moves": False},
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=6_000, help="draws for each row of the table")
    parser.add_argument("--shards", type=int, nargs="+", default=[1, 2, 3], help="numbers of shards")
    arguments = parser.parse_args()
    print(f"{arguments.draws} draws for each row, {THIN} iterations apart; alpha = {ALPHA}, beta = {BETA}, d = 1.\n")
    print("| table | sampler | shards | total variation | of independent draws | ms per iteration |")
    print("|---|---|---|---|---|---|")
    for shape in TABLES:
        target = problem(shape, 1, missing=False)
        for name, choice in CHOICES.items():
            for shards in arguments.shards:
                parameters = Parameters(alpha=ALPHA, beta=BETA, seed=shards, n_shards=shards, **choice)
                begin = time.perf_counter()
                draws = sampled(target, parameters, arguments.draws, THIN)
                spent = 1e3 * (time.perf_counter() - begin) / (arguments.draws * THIN)
                found = total_variation(target.counts(draws), target.posterior)
                print(
                    f"| {shape[0]} x {shape[1]} | {name} | {shards} | {found.measured:.4f} "
                    f"| {found.expected:.4f} +- {found.spread:.4f} | {spent:.2f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
