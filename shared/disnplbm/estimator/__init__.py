"""The scikit-learn style estimator."""

from disnplbm.estimator.nplbm import NPLBM

__all__ = ["NPLBM"]
