"""Distributed co-clustering with the Bayesian non-parametric latent block model (DisNPLBM)."""

from __future__ import annotations

__version__ = "0.1.0"
