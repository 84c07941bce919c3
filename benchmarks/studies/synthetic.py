"""The paper's synthetic data at full size."""

from __future__ import annotations

from benchmarks.studies.data import paper
from benchmarks.studies.runs import markdown, runs

SEEDS = range(5)

CASES = (
    (20_000, 90, (1, 2, 4, 8, 24, 64)),
    (20_000, 20, (1, 2, 64)),
    (100_000, 90, ("auto",)),
    (500_000, 20, (64,)),
)


def section() -> str:
    """The section of docs/results.md."""
    rows = []
    for n, p, shards in CASES:
        data = paper(n, p)
        for n_shards in shards:
            found = runs(data, SEEDS, n_shards=n_shards, alpha=5.0, beta=2.0, n_jobs=2)
            right = [
                outcome.ari == outcome.column_ari == outcome.block_ari == 1
                and outcome.row_clusters * outcome.column_clusters == 30
                for outcome in found
            ]
            stuck = ", ".join(
                f"seed {seed}: K = {outcome.row_clusters}, ARI {outcome.ari:.3f}"
                for seed, outcome, good in zip(SEEDS, found, right, strict=True)
                if not good
            )
            rows.append((f"{n:,} x {p}", str(n_shards), f"{sum(right)} of 5", stuck or "none"))
    return "\n".join(
        [
            "## The paper's synthetic data",
            "",
            "10 x 3 blocks, 100 iterations, alpha 5, beta 2, default start, seeds 0 to 4. Right: row, column and block"
            " ARI 1.00 and exactly 30 blocks. With 20 columns a one-at-a-time chain on one or two shards sticks; what"
            " sticks is shown.",
            "",
            markdown(("size", "shards", "right", "stuck"), rows),
        ]
    )
