"""The report of a run: pictures (:mod:`~disnplbm.report.heatmap`) and the page (:mod:`~disnplbm.report.html`)."""
