r"""Fit against number of blocks over likelihood powers, and the power at its elbow (Miller and Dunson 2019).

The data are read and cut once. Each power has a chain from random clusters, all from the same seed, and one that walks
down: it starts where the one of the next higher power ended. Fit is the posterior mean of
the log likelihood of an observed cell at power 1. The parameters of a draw's blocks are integrated out instead of
drawn, which has the same mean and less noise: with Sigma ~ IW(Psi, nu) and mean | Sigma ~ N(mu, Sigma / kappa),

    E log|Sigma|                         = log|Psi| - d log 2 - sum_{a<d} digamma((nu - a) / 2)
    E tr Sigma^-1 S                      = nu tr Psi^-1 S
    E (T - mean)^T Sigma^-1 (T - mean)   = d / kappa + nu (T - mu)^T Psi^-1 (T - mu)

(Bishop 2006, equations 10.64 and 10.65.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.special import digamma

from disnplbm.cell_types import DENSE, cell_type_of
from disnplbm.data.cell_choice import choose_cells
from disnplbm.data.dataset import Dataset, ingest
from disnplbm.data.shards import Manifest, prepare
from disnplbm.data.table import Source
from disnplbm.data.transform import check_transform
from disnplbm.engine.drive import InMemory, Step, advance
from disnplbm.engine.local import RunState
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem, stored_problem
from disnplbm.engine.stages import Progress, Stages
from disnplbm.engine.warmup import warm_up
from disnplbm.errors import InputError
from disnplbm.families.gaussian.niw import block_posterior, inverse_lower
from disnplbm.model.prior import NIWPrior
from disnplbm.model.statistics import Floats, Statistics
from disnplbm.notes import Hint, Note
from disnplbm.objects.store import ObjectStore
from disnplbm.posterior.elbow import Elbow, choose_power
from disnplbm.posterior.ends import Curve, describe_ends
from disnplbm.sampler.starts import Start
from disnplbm.sampler.streams import Stream

POWERS = (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1.0)
"""Powers that are tried by default."""

AS_NUMBERS = Hint("cells", DENSE)
"""What a fit at the chosen power takes the cells as."""

LEAST_ITERATIONS = 8
"""The second half of fewer has no two batches of two draws to tell a Monte Carlo error by."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """The curve and its elbow; arrays of shape (m,), in the order of the powers.

    Parameters
    ----------
    powers : ndarray
    fit : ndarray
        Posterior mean log likelihood of an observed cell, in nats and the units of the (transformed) data.
    fit_error : ndarray
        Its Monte Carlo standard error, by batch means.
    row_clusters, column_clusters : ndarray
        Posterior means of K and of L.
    walked : Curve
        The same figures of chains that walk down from power 1.
    ends : str
        Where those part from chains from random clusters, which the other figures are of.
    warnings : tuple of str
        What is odd about the data.
    """

    powers: Floats
    fit: Floats
    fit_error: Floats
    row_clusters: Floats
    column_clusters: Floats
    elbow: Elbow
    walked: Curve
    ends: str
    warnings: tuple[str, ...]


def calibrate(
    source: Source,
    store: ObjectStore,
    options: Options,
    powers: Sequence[float],
    *,
    n_shards: int | Literal["auto"],
    transform: str,
    threads: int,
    progress: Progress,
) -> Calibration:
    """Run two chains at each power, from either end, and choose one power.

    Parameters
    ----------
    store : ObjectStore
        Holds the shards meanwhile.
    options : Options
        Of all chains, but for the power; there must be draws.
    powers : sequence of float
        Ascending, in (0, 1], the last one 1.
    n_shards, transform, threads, progress
        As for :func:`disnplbm.engine.fit.prepare_run` and :func:`disnplbm.engine.fit.run`.

    Raises
    ------
    InputError
        Powers out of order or range, too few iterations, or the data cannot be used.
    """
    chains = [replace(options, power=power) for power in _checked(powers)]
    if options.iterations < LEAST_ITERATIONS:
        raise InputError(f"iterations = {options.iterations} must be at least {LEAST_ITERATIONS} to calibrate")
    stages = Stages(progress)
    with stages("reading"):
        dataset = ingest(source, store, "dataset", lambda done, total: progress("reading", done, total))
    chains = [chain.resolved(dataset.dimension) for chain in chains]
    notes = _notes(dataset, transform)
    with stages("sharding"):
        manifest = prepare(
            dataset,
            store,
            "shards",
            n_shards=n_shards,
            axis="auto",
            transform=transform,
            progress=lambda done, total: progress("sharding", done, total),
        )
    store.delete(chunk.key for chunk in dataset.chunks)
    with stages("compiling"):
        warm_up(manifest.dimension, chains[-1], complete=manifest.missing == 0, sparse=manifest.sparse)
    problem = stored_problem(store, manifest, chains[-1], consume=True)
    with stages("sampling"):
        random, walked = _curves(problem, manifest, chains, threads, progress)
    elbow, ends = choose_power(powers, *random), describe_ends(np.array(powers), random, walked)
    return Calibration(np.array(powers), *random, elbow, walked, ends, (*notes, *manifest.warnings))


def _notes(dataset: Dataset, transform: str) -> tuple[Note, ...]:
    """Say that cells are taken as real numbers, where a fit would take them as something else."""
    if dataset.dimension > 1 or check_transform(transform) != "none":
        return ()
    cells = choose_cells(dataset.csr_chunks()).cells
    if cells == DENSE:
        return ()
    like = cell_type_of(cells).noun
    return (
        Note(
            f"calibrate is for real numbers, and the cells look like {like}: the power is for a fit with ", AS_NUMBERS
        ),
    )


def expected_log_likelihood(blocks: Statistics, prior: NIWPrior, power: float) -> float:
    """Log likelihood at power 1 of all cells, averaged over the blocks' parameters given the partitions at ``power``.

    Parameters
    ----------
    blocks : Statistics of shape (...,)
    prior : NIWPrior
        In the units of ``blocks``.
    power : float
        Of the posterior that the parameters have.
    """
    posterior, blocks = block_posterior(blocks, prior, power), blocks.parts
    d = blocks.dimension
    half_freedom = (posterior.nu[..., None] - np.arange(d)) / 2
    log_det = 2 * posterior.log_det_root - d * math.log(2) - digamma(half_freedom).sum(axis=-1)
    root = inverse_lower(posterior.root)
    spread = (np.einsum("...ab,...bc->...ac", root, blocks.scatter) * root).sum(axis=(-2, -1))
    shift = (np.einsum("...ab,...b->...a", root, blocks.mean - posterior.mu) ** 2).sum(axis=-1)
    squares = posterior.nu * spread + blocks.count * (d / posterior.kappa + posterior.nu * shift)
    return float((-(blocks.count * (d * math.log(2 * math.pi) + log_det) + squares) / 2).sum())


def batch_error(values: Floats) -> float:
    """Monte Carlo standard error of the mean of a chain, shape (t,), t >= 4, by batch means.

    Batches are floor(sqrt(t)) in number and equally long; the first values, of which there are too few for one more of
    each, are passed over (Flegal and Jones 2010).
    """
    number = math.isqrt(len(values))
    means = values[len(values) % number :].reshape(number, -1).mean(axis=1)
    return float(means.std(ddof=1) / math.sqrt(number))


def _curves(
    problem: Problem, manifest: Manifest, chains: Sequence[Options], threads: int, progress: Progress
) -> tuple[Curve, Curve]:
    """The figures of chains from random clusters, and of chains that walk down from power 1."""
    total, done = (2 * len(chains) - 1) * chains[0].iterations, 0

    def point(options: Options, number: int, start: Start | None) -> tuple[list[float], RunState]:
        nonlocal done
        parameters = options.parameters(manifest.n_shards, manifest.axis)
        # Only tables of one part are calibrated.
        part = replace(problem.only_part, family=problem.only_part.family.tempered(options.power))
        here = replace(problem, parameters=parameters, parts=(part,)).of_chain(number)
        jacobian = part.frame.log_jacobian(1.0)
        kept: list[tuple[float, ...]] = []

        def see(step: Step) -> bool:
            if step.draw is not None:
                blocks = step.draw.blocks
                cells = expected_log_likelihood(blocks, part.prior, options.power)
                kept.append((cells / part.observed + jacobian, *blocks.shape))
            row = step.trace.last
            note = f"power {options.power:g}  K {row.row_clusters}  L {row.column_clusters}"
            progress("sampling", done + step.iteration, total, note)
            return False

        begin = here.start(options.first_start) if start is None else start
        stream = Stream(number, number, None, options.iterations)
        state, _ = advance(here, stream, begin, InMemory(see), threads, options.is_kept)
        done += options.iterations
        values = np.array(kept, dtype=np.float64)
        fit, rows, columns = values.mean(axis=0).tolist()
        return [fit, batch_error(values[:, 0]), rows, columns], state

    random = [point(options, 0, None) for options in chains]
    # Both begin with the same chain at power 1.
    walked, state = [random[-1][0]], random[-1][1]
    for options in reversed(chains[:-1]):
        figures, state = point(options, 1, problem.start_at(state))
        walked.insert(0, figures)
    return Curve(*np.array([figures for figures, _ in random]).T), Curve(*np.array(walked).T)


def _checked(powers: Sequence[float]) -> Sequence[float]:
    """Powers that can be run, before any time is spent on them."""
    flat = np.zeros(len(powers))
    choose_power(powers, flat, flat, flat, flat)
    return powers
