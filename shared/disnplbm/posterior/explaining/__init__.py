"""What sets the clusters of an axis apart: which columns, in the words of rows and columns of a table.

:mod:`~disnplbm.posterior.explaining.contrasts` weighs each column: is it the same in a cluster as in the others?
:mod:`~disnplbm.posterior.explaining.held_out` finds the clusters without the columns that are to be weighed, since the
fit made clusters of the very cells that it is asked about, and
:mod:`~disnplbm.posterior.explaining.discoveries` says how many of the columns found are expected to be false.
:mod:`~disnplbm.posterior.explaining.typical` says how well each row fits. docs/adr/0030 has the reasons.
"""
