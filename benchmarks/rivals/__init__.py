"""Programs of others on one table of counts: ``python -m benchmarks.rivals.NAME FILE SEED`` in a Python that has it.

These modules import nothing of disnplbm, so that they run where it is not installed.
"""
