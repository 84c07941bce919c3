r"""Rows as features and blocks as parameters: the log density of a row's cells is a product of the two.

Given a block's mean mu and precision Q, the log density of m cells with sum s and sum of squares T = sum x x^T is

    m c + s . (Q mu) - tr(Q T) / 2        with        c = (log|Q| - mu . Q mu) / 2,

up to a factor (2 pi)^(-m d / 2) that no choice depends on. A row's *features* are m, s and the lower triangle of T of
every column cluster, F = G (1 + d + d (d + 1) / 2) numbers; the *coefficients* of a row cluster are c, Q mu and -Q / 2
of its blocks (off the diagonal -Q, where T holds both halves), times the likelihood power. Features are made in the
loop over the rows, so that memory does not grow with them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from disnplbm.errors import WeightError
from disnplbm.kernels.blocks import Items, KernelPrior, complete, dimension, posterior_scale
from disnplbm.kernels.choice import find_best
from disnplbm.kernels.compiler import inlined, kernel
from disnplbm.kernels.special import exp, log
from disnplbm.model.statistics import Floats, Labels, Statistics


def n_features(groups: int, d: int) -> int:
    """F."""
    return groups * (1 + d + d * (d + 1) // 2)


def features_of(blocks: Statistics) -> int:
    """F of an item that is weighed against blocks of shape (..., G)."""
    d = blocks.dimension
    return n_features(blocks.shape[-1] * d, 1) if blocks.diagonal else n_features(blocks.shape[-1], d)


class Variates(NamedTuple):
    """Random numbers from which the precision and the mean of B blocks are made (Bartlett's decomposition)."""

    squares: Floats  # (B, d) chi-squared with nu, nu - 1, .., nu - d + 1 degrees of freedom
    normals: Floats  # (B, d (d - 1) / 2 + d) below the diagonal, row by row, then for the mean


def draw_variates(nu: Floats, d: int, generator: np.random.Generator) -> Variates:
    """Draw variates of blocks from their posterior.

    Parameters
    ----------
    nu : ndarray of shape (B,)
        Degrees of freedom of each.
    """
    squares = 2.0 * generator.standard_gamma(0.5 * (nu[:, None] - np.arange(d)))
    tiny = np.finfo(np.float64).tiny
    return Variates(np.maximum(squares, tiny), generator.standard_normal((len(nu), d * (d - 1) // 2 + d)))


def central_variates(nu: Floats, d: int) -> Variates:
    """Variates that give each block its posterior mean and the posterior mean of its precision."""
    squares = np.repeat(nu[:, None], d, axis=1)
    return Variates(squares, np.zeros((len(nu), d * (d - 1) // 2 + d)))


@kernel
def _coefficients(prior, count, mean, scatter, squares, normals, result):  # type: ignore[no-untyped-def]
    blocks, d = squares.shape
    psi = np.empty(prior.psi0.size)
    root, a, b = np.empty((d, d)), np.zeros((d, d)), np.zeros((d, d))
    mu, solved, pull = np.empty(d), np.empty(d), np.empty(d)
    for i in range(blocks):
        posterior_scale(prior, count[i], mean, scatter, i, 0, psi)
        kappa = prior.kappa0 + prior.power * count[i]
        # Psi = root root^T, no pivot below the prior's.
        log_det = 0.0
        for r in range(d):
            for c in range(r + 1):
                total = psi[r * (r + 1) // 2 + c]
                for e in range(c):
                    total -= root[r, e] * root[c, e]
                root[r, c] = np.sqrt(max(total, prior.pivots0[r])) if r == c else total / root[c, c]
            log_det -= 2.0 * log(root[r, r])
        # Q = b b^T with b = root^-T a, a lower triangular.
        t = 0
        for r in range(d):
            a[r, r] = np.sqrt(squares[i, r])
            log_det += log(squares[i, r])
            for c in range(r):
                a[r, c] = normals[i, t]
                t += 1
        for c in range(d):
            for r in range(d - 1, -1, -1):
                total = a[r, c] if r >= c else 0.0
                for e in range(r + 1, d):
                    total -= root[e, r] * b[e, c]
                b[r, c] = total / root[r, r]
        # mu = posterior mean + root a^-T normals / sqrt(kappa).
        for r in range(d - 1, -1, -1):
            total = normals[i, t + r]
            for e in range(r + 1, d):
                total -= a[e, r] * solved[e]
            solved[r] = total / a[r, r]
        share = prior.power * count[i] / kappa
        for r in range(d):
            shift = 0.0
            for e in range(r + 1):
                shift += root[r, e] * solved[e]
            mu[r] = prior.mu0[r] + share * (mean[i, 0, r] - prior.mu0[r]) + shift / np.sqrt(kappa)
        quadratic = 0.0
        for r in range(d):
            pull[r] = 0.0
        t = 1 + d
        for r in range(d):
            for c in range(r + 1):
                q = 0.0
                for e in range(d):
                    q += b[r, e] * b[c, e]
                pull[r] += q * mu[c]
                if c < r:
                    pull[c] += q * mu[r]
                result[i, t] = prior.power * (-0.5 * q if r == c else -q)
                t += 1
        for r in range(d):
            quadratic += mu[r] * pull[r]
            result[i, 1 + r] = prior.power * pull[r]
        result[i, 0] = prior.power * 0.5 * (log_det - quadratic)


def coefficients(blocks: Statistics, variates: Variates, prior: KernelPrior) -> Floats:
    """Coefficients of row clusters from the posterior of their blocks.

    Parameters
    ----------
    blocks : Statistics of shape (K, G)
        Unfolded.
    variates : Variates
        Of the K G blocks.

    Returns
    -------
    ndarray of shape (F, K)
    """
    k, groups = blocks.shape
    d = blocks.dimension
    result = np.empty((k * groups, n_features(1, d)))
    _coefficients(
        prior,
        np.ascontiguousarray(blocks.count).reshape(-1),
        np.ascontiguousarray(blocks.mean).reshape(-1, 1, d),
        np.ascontiguousarray(blocks.scatter).reshape(-1, 1, d, d),
        variates.squares,
        variates.normals,
        result,
    )
    return np.ascontiguousarray(result.reshape(k, -1).T)


@inlined
def fill_features(items, i, feature, first, stride, counts):  # type: ignore[no-untyped-def]
    """Write item i's features to every ``stride``-th place from ``first`` on; if not ``counts``, all but the counts."""
    d, t = dimension(items), first
    for g in range(items.mean.shape[1]):
        m = items.counts[0 if complete(items) else i, g]
        if counts:
            feature[t] = m
            t += stride
        for a in range(d):
            feature[t] = m * items.mean[i, g, a]
            t += stride
        for a in range(d):
            for b in range(a + 1):
                feature[t] = items.scatter[i, g, a, b] + m * items.mean[i, g, a] * items.mean[i, g, b]
                t += stride


@kernel
def _draw_sides(items, contrasts, guided, try_of, present, uniforms, chances, labels, sides, minus_log_q, offsets):  # type: ignore[no-untyped-def]
    features = contrasts.shape[1] - 1
    feature = np.empty(features)
    for i in range(labels.size):
        t = try_of[labels[i]]
        if t < 0:
            continue
        held = sides[i] >= 0
        if held:
            continue
        side = present[labels[i]]
        if not guided[t]:
            sides[i] = side if side >= 0 else (0 if uniforms[i] < chances[t] else 1)
            continue
        fill_features(items, i, feature, 0, 1, True)
        odds = contrasts[t, features]
        for f in range(features):
            odds += feature[f] * contrasts[t, f]
        if offsets is not None:
            odds += offsets[i]
        if not abs(odds) < np.inf:
            return i
        # P(side 0) = 1 / (1 + exp(-odds)), and what its logarithm costs either side.
        ratio = exp(-min(abs(odds), 700.0))
        likely, cost = 1.0 / (1.0 + ratio), log(1.0 + ratio)
        if side < 0:
            zero = likely if odds >= 0.0 else ratio * likely
            side = 0 if uniforms[i] < zero else 1
        sides[i] = side
        minus_log_q[t, side] += cost if (odds >= 0.0) == (side == 0) else cost + abs(odds)
    return -1


def draw_sides(
    items: Items,
    contrasts: Floats,
    guided: NDArray[np.bool_],
    try_of: Labels,
    present: Labels,
    uniforms: Floats,
    chances: Floats,
    labels: Labels,
    sides: Labels,
    minus_log_q: Floats,
    offsets: Floats | None = None,
) -> None:
    """Draw the sides of proposed splits, or weigh those that are there.

    Parameters
    ----------
    contrasts : ndarray of shape (T, F + 1)
        Of each try, log odds of side 0: one coefficient a feature, and a constant.
    guided : ndarray of bool, shape (T,)
        Whether these are used, or sides are drawn by chance.
    try_of, present : ndarray of int32, shape (K,)
        The try that each cluster takes part in, or -1, and the side it stands for in a merge, or -1 in a split.
    uniforms : ndarray of shape (n,)
    chances : ndarray of shape (T,)
        Probability of side 0 where chance decides.
    labels : ndarray of int32, shape (n,)
    sides : ndarray of int32, shape (n,)
        -1 to be filled in; an anchor's side is given. Items in no try stay at -1.
    minus_log_q : ndarray of shape (T, 2)
        Added to: -log P(side) of the items on each side, where the data guide.
    offsets : ndarray of shape (n,), optional
        What is added to the log odds of each item.

    Raises
    ------
    WeightError
        The log odds of an item are not a finite number.
    """
    tries = (contrasts, guided, try_of, present, uniforms, chances)
    unfit = int(_draw_sides(items, *tries, labels, sides, minus_log_q, offsets))
    if unfit >= 0:
        raise WeightError(unfit)


@kernel
def _pick_sides(items, contrast, members, sides):  # type: ignore[no-untyped-def]
    features = contrast.size - 1
    feature = np.empty(features)
    for r in range(members.size):
        fill_features(items, members[r], feature, 0, 1, True)
        odds = contrast[features]
        for f in range(features):
            odds += feature[f] * contrast[f]
        if not abs(odds) < np.inf:
            return r
        sides[r] = 0 if odds >= 0.0 else 1
    return -1


def likelier_sides(items: Items, contrast: Floats, members: Labels) -> Labels:
    """The likelier side of some items: 0 where the log odds of ``contrast``, shape (F + 1,), are not negative.

    Raises
    ------
    WeightError
        The log odds of a member are not a finite number; its place among the members is named.
    """
    sides = np.empty(len(members), dtype=np.int32)
    unfit = int(_pick_sides(items, contrast, members, sides))
    if unfit >= 0:
        raise WeightError(unfit)
    return sides


@kernel
def _likeliest(items, coefficients, log_weights, labels):  # type: ignore[no-untyped-def]
    features, number = coefficients.shape
    feature, weight = np.empty(features), np.empty(number)
    for i in range(labels.size):
        fill_features(items, i, feature, 0, 1, True)
        for k in range(number):
            weight[k] = log_weights[k]
        for f in range(features):
            for k in range(number):
                weight[k] += feature[f] * coefficients[f, k]
        best = find_best(weight)
        if best < 0:
            return i
        labels[i] = best
    return -1


def likeliest(items: Items, coefficients: Floats, log_weights: Floats) -> Labels:
    """The likeliest label of each item: where log weight + log density is largest, the first of several.

    Parameters
    ----------
    coefficients : ndarray of shape (F, K)
    log_weights : ndarray of shape (K,)

    Raises
    ------
    WeightError
        The log weights of an item are not finite numbers.
    """
    labels = np.empty(len(items.mean), dtype=np.int32)
    unfit = int(_likeliest(items, coefficients, log_weights, labels))
    if unfit >= 0:
        raise WeightError(unfit)
    return labels


@kernel
def _log_densities(items, coefficients, result):  # type: ignore[no-untyped-def]
    features, number = coefficients.shape
    feature = np.empty(features)
    for i in range(result.shape[0]):
        fill_features(items, i, feature, 0, 1, True)
        for k in range(number):
            result[i, k] = 0.0
        for f in range(features):
            for k in range(number):
                result[i, k] += feature[f] * coefficients[f, k]
        for k in range(number):
            if not abs(result[i, k]) < np.inf:
                return i
    return -1


def log_densities(items: Items, coefficients: Floats) -> Floats:
    """Log density of each item in each cluster, of coefficients of shape (F, K): shape (n, K).

    Raises
    ------
    WeightError
        They are not finite numbers for an item.
    """
    result = np.empty((len(items.mean), coefficients.shape[1]))
    unfit = int(_log_densities(items, coefficients, result))
    if unfit >= 0:
        raise WeightError(unfit)
    return result
