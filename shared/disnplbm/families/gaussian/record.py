"""The family of real numbers as plain values, in the record of a run's draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from disnplbm.families.gaussian import Gaussian
from disnplbm.model.frame import Frame
from disnplbm.model.prior import NIWPrior


def to_record(family: Gaussian) -> dict[str, Any]:
    """Frame and prior."""
    frame, prior = family.frame, family.prior
    return {
        "frame": {"centre": frame.centre.tolist(), "scale": frame.scale.tolist(), "diagonal": frame.diagonal},
        "prior": {
            "mu0": prior.mu0.tolist(),
            "kappa0": prior.kappa0,
            "psi0": prior.psi0.tolist(),
            "nu0": prior.nu0,
            "copies": prior.copies,
        },
    }


def of_record(record: dict[str, Any], power: float) -> Gaussian:
    """The family of what :func:`to_record` gave; KeyError, TypeError or ValueError if it is something else."""
    centre, scale = (np.array(record["frame"][name], dtype=np.float64) for name in ("centre", "scale"))
    # Files of earlier versions know full covariances only.
    frame = Frame(centre, scale, bool(record["frame"].get("diagonal", False)))
    prior = NIWPrior(**record["prior"])
    if not centre.shape == scale.shape == (prior.dimension * prior.copies,) or frame.diagonal != (prior.copies > 1):
        raise ValueError("frame and prior do not fit each other")
    return Gaussian(prior, power, frame)
