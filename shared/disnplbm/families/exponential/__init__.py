"""Families whose cells are known by sums: the log density of a set of cells is linear in them, given the parameters.

Counts, 0/1 and categories are of this kind. Such a family says three things: the log marginal of sums, as Numba
compiles it; its natural parameters drawn from the posterior of sums; and these at the posterior's mean.
"""
