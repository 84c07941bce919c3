"""The report of a run: pictures of the matrix, the document of a run, and the page that shows it.

:mod:`~disnplbm.report.heatmap`, :mod:`~disnplbm.report.document` and :mod:`~disnplbm.report.page`.
"""
