"""The paper's synthetic data at full size, with both samplers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.studies.chains import ALPHA, BETA, SAMPLERS, Chain, Table
from benchmarks.studies.data import paper
from benchmarks.studies.runs import markdown, several

ITERATIONS = 100

BLOCKS = 30


@dataclass(frozen=True)
class Case:
    """One size of the data."""

    rows: int
    columns: int
    shards: Sequence[int]
    seeds: int


SHARD_COUNTS = (Case(20_000, 90, (1, 2, 4, 8, 24), 5), Case(20_000, 20, (1, 2, 4, 8, 24), 5))

#: The paper's Table 2: rows vary, 24 workers.
TABLE_2 = tuple(Case(rows, 90, (24,), 3) for rows in (20_000, 40_000, 60_000, 80_000, 100_000))

#: The paper's Table 3: up to 64 workers.
TABLE_3 = (Case(20_000, 90, (64,), 10), Case(20_000, 20, (64,), 10), Case(500_000, 20, (64,), 10))

INTRODUCTION = f"""## The paper's synthetic data

10 x 3 blocks, {ITERATIONS} iterations, alpha {ALPHA:g}, beta {BETA:g}, default start, last state. Right:
{BLOCKS} blocks, and ARI of rows and of columns 1.00 to two digits. All true: no row and no column out of its place at
all. In the tables with 20 columns a row may lie between two clusters, and then a chain that is right puts it now here,
now there. Seconds are of the {ITERATIONS} iterations, on one thread: of the processor, and in brackets on the clock."""


def section() -> str:
    """The page in docs/results."""
    parts = [INTRODUCTION]
    for title, cases in (
        ("Shard counts", SHARD_COUNTS),
        ("Table 2: rows", TABLE_2),
        ("Table 3: 64 shards", TABLE_3),
    ):
        parts += [f"### {title}", _table(cases)]
    return "\n\n".join(parts)


def _table(cases: Sequence[Case]) -> str:
    header = (
        "size",
        "shards",
        "sampler",
        "right",
        "all true",
        "K",
        "blocks",
        "least row ARI",
        "seconds",
        "wrong seeds",
    )
    return markdown(header, [row for case in cases for row in _rows(case)])


def _rows(case: Case) -> Iterator[tuple[str, ...]]:
    data = paper(case.rows, case.columns)
    for n_shards in case.shards:
        table = Table(data, n_shards)
        for sampler in SAMPLERS:
            chains = table.chains(sampler, range(case.seeds), ITERATIONS)
            right = [_is_right(chain) for chain in chains]
            perfect = sum(chain.ari == chain.column_ari == 1 for chain in chains)
            wrong = [f"{seed} (K = {chains[seed].row_clusters[-1]})" for seed, good in enumerate(right) if not good]
            processor = np.mean([chain.processor.sum() for chain in chains])
            clock = np.mean([chain.clock.sum() for chain in chains])
            yield (
                f"{case.rows:,} x {case.columns}",
                str(n_shards),
                sampler,
                f"{sum(right)} of {case.seeds}",
                f"{perfect} of {case.seeds}",
                several([int(chain.row_clusters[-1]) for chain in chains]),
                several([_blocks(chain) for chain in chains]),
                f"{min(chain.ari for chain in chains):.4f}",
                f"{processor:.2f} ({clock:.2f})",
                ", ".join(wrong) or "none",
            )


def _blocks(chain: Chain) -> int:
    return int(chain.row_clusters[-1] * chain.column_clusters[-1])


def _is_right(chain: Chain) -> bool:
    return _blocks(chain) == BLOCKS and round(min(chain.ari, chain.column_ari), 2) == 1
