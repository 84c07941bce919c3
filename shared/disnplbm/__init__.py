"""Distributed co-clustering with the Bayesian non-parametric latent block model (DisNPLBM)."""

from __future__ import annotations

import importlib
from typing import Any

from disnplbm.errors import DataWarning, InputError

__all__ = ["NPLBM", "DataWarning", "InputError", "__version__"]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    # scikit-learn and Numba take seconds to import, and `disnplbm --help` needs neither.
    if name == "NPLBM":
        return importlib.import_module("disnplbm.estimator").NPLBM
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
