"""The model in plain NumPy: priors, sufficient statistics, marginals and partitions.

Everything here is written to be read and checked against the mathematics; it is the reference that the fast code in
:mod:`disnplbm.kernels` is tested against.
"""
