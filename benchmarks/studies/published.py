"""The published choices beside this package's, on data where they matter."""

from __future__ import annotations

from benchmarks.studies.data import mirrored, paper
from benchmarks.studies.runs import markdown, run, runs, several, spread

SEEDS = range(8)


def section() -> str:
    """The page in docs/results."""
    return "\n\n".join(
        [
            "## The published choices, side by side",
            "Joining shards by averaged statistics forgets the column profile: mirrored profiles (case A1, 100 x 10,"
            " 2 x 2 clusters, equal row means) are merged. The share of eight seeds that ends at 2 x 2 with ARI 1:",
            _mirrored(),
            "A shard that sees only its own rows freezes an answer of its own. 20,000 x 20, 64 shards, from one"
            " cluster, 100 iterations, five seeds (`--view local` with `--pair-moves off` is what was published):",
            _views(),
        ]
    )


def _mirrored() -> str:
    rows = []
    for start in ("random", "one"):
        for join in ("blockwise", "averaged"):
            cells = [start, join]
            for n_shards in (1, 2, 4):
                found = [
                    run(mirrored(seed), seed, n_shards=n_shards, start=start, join=join, n_iterations=50)
                    for seed in SEEDS
                ]
                right = sum(outcome.ari == 1 and outcome.column_ari == 1 for outcome in found)
                cells.append(f"{right} of {len(found)} (row ARI {spread([outcome.ari for outcome in found])})")
            rows.append(cells)
    return markdown(("start", "join", "1 shard", "2 shards", "4 shards"), rows)


def _views() -> str:
    data = paper(20_000, 20)
    rows = []
    for start in ("one", "random"):
        for view in ("local", "global"):
            for pair_moves in (False, True):
                found = runs(
                    data, range(5), n_shards=64, start=start, view=view, pair_moves=pair_moves, alpha=5.0, beta=2.0
                )
                rows.append(
                    (
                        start,
                        view,
                        "on" if pair_moves else "off",
                        several([outcome.row_clusters for outcome in found]),
                        several([outcome.row_clusters * outcome.column_clusters for outcome in found]),
                        spread([outcome.ari for outcome in found]),
                    )
                )
    return markdown(("start", "view", "pair moves", "K", "blocks", "row ARI"), rows)
