"""Small sets of draws that tests of posterior summaries share."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from disnplbm.families.gaussian import Gaussian
from disnplbm.model.frame import Frame
from disnplbm.model.joint import log_joint
from disnplbm.model.partition import canonical_labels
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Labels, aggregate, cells_by_cluster
from disnplbm.posterior.draws import Draw, Draws, DrawsMeta


def table(n: int, p: int, d: int, missing: float = 0.0, seed: int = 0) -> Floats:
    """A table in the user's units, with cells missing by chance; cell (0, 0) misses one component alone."""
    rng = np.random.default_rng(seed)
    values = 20.0 + 3.0 * rng.normal(size=(n, p, d)) + 9.0 * (np.arange(n) % 3)[:, None, None]
    values[rng.random((n, p)) < missing] = np.nan
    if missing:
        values[0, 0, -1] = np.nan
    return values


def user_prior(d: int) -> NIWPrior:
    """A prior in the user's units that is none of the defaults."""
    root = np.random.default_rng(d).normal(size=(d, d))
    return NIWPrior(np.linspace(18.0, 25.0, d), 0.6, 4.0 * (root @ root.T + np.eye(d)), d + 2.5)


def user_frame(d: int) -> Frame:
    """A frame whose scales differ between components."""
    return Frame(np.linspace(20.0, 30.0, d), np.ldexp(1.0, np.arange(d) + 1))


def framed(values: Floats, frame: Frame) -> Floats:
    """Cells in the frame, missing as a whole where any component is."""
    inside = frame.enter(values)
    inside[np.isnan(inside).any(axis=-1)] = np.nan
    return inside


def meta_of(values: Floats, power: float = 1.0, row_limit: int | None = None, *, diagonal: bool = False) -> DrawsMeta:
    """Meta of draws of a table."""
    n, p, d = values.shape
    frame = user_frame(d)
    if diagonal:
        of_part = NIWPrior(np.array([0.3]), 0.6, np.array([[0.8]]), 2.5, d)
        return DrawsMeta.of_one(n, p, Gaussian(of_part, power, replace(frame, diagonal=True)), row_limit=row_limit)
    return DrawsMeta.of_one(n, p, Gaussian(frame.prior(user_prior(d)), power, frame), row_limit=row_limit)


def draw_of(values: Floats, meta: DrawsMeta, rows: Labels, columns: Labels, iteration: int = 1, chain: int = 0) -> Draw:
    """The draw with these partitions (made canonical), its concentrations depending on the iteration."""
    rows, columns = canonical_labels(rows), canonical_labels(columns)
    alpha, beta = 0.5 + 0.25 * iteration, 1.0 + 0.125 * iteration
    cells = cells_by_cluster(
        framed(values, meta.numbers.frame), rows, int(rows.max()) + 1, diagonal=meta.numbers.frame.diagonal
    )
    blocks = aggregate(cells, columns, int(columns.max()) + 1, axis=1)
    joint = log_joint(
        framed(values, meta.numbers.frame),
        rows,
        columns,
        meta.numbers.prior,
        alpha=alpha,
        beta=beta,
        power=meta.family.power,
    ) + meta.numbers.frame.log_jacobian(meta.family.power * float(blocks.count.sum()))
    return Draw.of_one(chain, iteration, joint, alpha, beta, rows, columns, blocks)


def random_draws(values: Floats, meta: DrawsMeta, number: int, k: int = 3, n_groups: int = 2, seed: int = 1) -> Draws:
    """Draws with random partitions into at most k row clusters and n_groups column clusters."""
    rng = np.random.default_rng(seed)
    n, p, _ = values.shape
    return Draws.of(
        (
            draw_of(values, meta, rng.integers(0, k, n), rng.integers(0, n_groups, p), iteration)
            for iteration in range(1, number + 1)
        ),
        meta,
    )
