"""A fitted model as the files of a run: a run folder, or its report."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

from sklearn.utils.validation import check_is_fitted

from disnplbm.engine.folder import RunFolder
from disnplbm.engine.outcome import write_findings
from disnplbm.engine.stages import Stages
from disnplbm.engine.telling import tell_all_profiles
from disnplbm.errors import RunError
from disnplbm.estimator.levels import LevelsMixin
from disnplbm.estimator.parameters import in_parameters
from disnplbm.files import scratch_folder, whole_file
from disnplbm.posterior.draw_store import write_draws
from disnplbm.report.page import NOT_BUILT, is_built
from disnplbm.runs.request import Request, RunRequest


class WritingMixin(LevelsMixin):
    """Writes what a fit found."""

    seconds_: dict[str, float]

    def save(self, folder: str | PathLike[str], X: Any = None, *, name: str = "X", force: bool = False) -> Path:
        """Write a run folder, as ``disnplbm fit`` writes it.

        The commands ``cut``, ``explain``, ``predict``, ``impute``, ``score`` and ``report`` read it. Those that look at
        the fitted table get its file with ``--table``.

        Parameters
        ----------
        folder : path
            A new one, or an empty one.
        X : array-like or table, optional
            The fitted table. With it, the report of a small table says what makes each cluster.
        name : str, default="X"
            What the report calls the table.
        force : bool, default=False
            Replace a run that is in the folder.

        Returns
        -------
        Path
            The folder.

        Raises
        ------
        InputError
            A ValueError: there is something in the folder, or X is another table than the fitted one.
        RunError
            The folder cannot be written.
        """
        check_is_fitted(self)
        with in_parameters(), RunFolder.stage(Path(folder), force=force) as staged:
            self._write(staged.staging, X, name)
            staged.adopt()
        return Path(folder)

    def report(self, path: str | PathLike[str], X: Any = None, *, name: str = "X") -> Path:
        """Write the report: one HTML file that opens in any browser and makes no request.

        Parameters
        ----------
        path : path
            Such as ``"x.html"``; a file that is there is replaced.
        X, name
            As for :meth:`save`.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        InputError
            A ValueError: X is another table than the fitted one.
        RunError
            The file cannot be written.
        """
        check_is_fitted(self)
        if not is_built():
            raise RunError(NOT_BUILT)
        with in_parameters(), scratch_folder("disnplbm-report-") as folder:
            self._write(folder, X, name)
            page = (folder / "report.html").read_text(encoding="utf-8")
        with whole_file(Path(path)) as file:
            file.write(page)
        return Path(path)

    def _write(self, folder: Path, X: Any, name: str) -> None:
        fitted = self._fitted
        findings, options, table = fitted.findings, fitted.options, fitted.table
        stages = Stages(seconds=self.seconds_)
        if X is not None:
            problem = self._read_fitted(X, "rows")
            with stages("profiles"):
                fine = findings.result.row_labels, findings.result.column_labels
                names = list(table.row_ids), table.column_names
                told = tell_all_profiles(problem, options, findings.shown, fine, names)
            findings = replace(findings, profiles=told)
        if findings.draws is not None:
            write_draws(findings.draws, RunFolder(folder).draws, findings.meta)
        asked = Request(name, name, table.n_shards, table.axis, table.transform)
        request = RunRequest(asked=asked, options=options.to_dict(), created=fitted.created, warnings=fitted.warnings)
        write_findings(folder, findings, table, request, options, sum(self.seconds_.values()), stages)
