"""Transforms of a table, one module for each kind; :mod:`disnplbm.data.transform` puts them in order."""
