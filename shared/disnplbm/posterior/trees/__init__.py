"""Trees of clusters, and levels of them.

A fit has as many clusters as the data tell apart, which may be more than people can look at. A tree says which of them
are nearly alike: clusters merge two by two, the pair first whose merge costs the least log joint, until one is left.
Rows merge while the columns keep their fine clusters, and columns while the rows keep theirs, so there are two trees.

:mod:`~disnplbm.posterior.trees.growing` makes a tree from the statistics of the blocks,
:mod:`~disnplbm.posterior.trees.cutting` cuts it at a number of branches, and
:mod:`~disnplbm.posterior.trees.refining` lets the rows and columns of a cut move to the clusters that fit them best.
"""
