"""A level of a finished run: its clusters merged down to as many as are asked for."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from disnplbm.data.classes import read_labels
from disnplbm.data.covariates import RESPONSES
from disnplbm.data.dataset import Dataset, ingest
from disnplbm.data.memory import available_bytes
from disnplbm.data.reading import Reading
from disnplbm.data.shards import prepare
from disnplbm.data.table import Source
from disnplbm.engine.annotating import write_h5ad
from disnplbm.engine.as_fitted import open_as_fitted
from disnplbm.engine.estimate import blocks_of
from disnplbm.engine.folder import RunFolder
from disnplbm.engine.options import Options
from disnplbm.engine.problem import Problem, stored_problem
from disnplbm.engine.warmup import warm_up
from disnplbm.engine.whole import exposure_of
from disnplbm.errors import InputError, RunError
from disnplbm.families.responses.table import covariates_of
from disnplbm.model.partition import canonical_labels
from disnplbm.model.statistics import Floats, Labels
from disnplbm.notes import Hint
from disnplbm.objects.store import ObjectStore, open_store
from disnplbm.parts import only_part
from disnplbm.posterior.draw_store import open_draws
from disnplbm.posterior.draws import Axis
from disnplbm.posterior.export import block_table, columns_of, write_table
from disnplbm.posterior.trees.certainty import Certainty, certainty_of_level
from disnplbm.posterior.trees.cutting import cut_labels
from disnplbm.posterior.trees.drawn import grow_drawn
from disnplbm.posterior.trees.growing import Tree
from disnplbm.posterior.trees.grown import AXES, Trees
from disnplbm.posterior.trees.losses import family_of_levels
from disnplbm.posterior.trees.refining import refine
from disnplbm.posterior.trees.store import load_trees


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """Clusters of rows and of columns.

    Parameters
    ----------
    rows, columns : ndarray of int32, shapes (n,) and (p,)
        Cluster of each; :data:`disnplbm.posterior.trees.cutting.ASIDE` for outliers that were set aside.
    parts : tuple of Statistics of shape (K, L)
        Blocks of each part, in the units of the table; without what was set aside.
    """

    rows: Labels
    columns: Labels
    parts: tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class CutRun:
    """A finished run whose clusters can be merged.

    Parameters
    ----------
    folder : Path
    record : dict
        What run.json says.
    trees : Trees
    fine : Level
        The clusters of the run.
    """

    folder: Path
    record: dict[str, Any]
    trees: Trees
    fine: Level

    @classmethod
    def open(cls, folder: Path) -> CutRun:
        """Open a run folder.

        Raises
        ------
        InputError
            It holds no finished run, or one without trees.
        RunError
            A file is damaged.
        """
        record = RunFolder(folder).load_record()
        trees = load_trees(RunFolder(folder).tree)
        rows, columns = _read_fine(folder, "rows", trees.rows), _read_fine(folder, "columns", trees.columns)
        return cls(folder, record, trees, Level(rows, columns, trees.parts))

    def cut(self, rows: int | None, columns: int | None) -> Level:
        """Merge clusters down to a number on each axis; None keeps the clusters of the run.

        Raises
        ------
        InputError
            There are fewer branches of enough members.
        """
        of_rows = cut_labels(self.trees.rows, rows, "row clusters")
        of_columns = cut_labels(self.trees.columns, columns, "column clusters")
        blocks = self.trees.merge_blocks(of_rows, of_columns)
        return Level(of_rows[self.fine.rows], of_columns[self.fine.columns], blocks)

    def names(self, axis: str) -> Sequence[str]:
        """Names of the rows or of the columns; their numbers where they have none."""
        labels = getattr(self.fine, axis)
        return read_labels(self.folder / f"{axis}.csv").ids or [str(i) for i in range(len(labels))]

    def suggested(self, axis: str) -> int | None:
        """Clusters of an axis that the report shows first; None where those are the clusters of the run."""
        if "level" not in self.record:
            return None
        try:
            found = self.record["level"]["axes"][axis]
            return None if found["reason"] == "fine" else int(found["clusters"])
        except (KeyError, TypeError, ValueError) as error:
            raise RunError(f"{self.folder / 'run.json'} is damaged; fit again with ", Hint("force")) from error

    def find_table(self, path: Path | None = None) -> Path:
        """Where the table is that was fitted: at a path that is given, else where the run read it.

        Raises
        ------
        InputError
            None is given, and it is not where the run read it.
        """
        found = path or Path(self.record["data"]["path"])
        if path is None and not found.exists():
            raise InputError(
                f"the run in {self.folder} read {found}, and there is no such file here now; give the table with ",
                Hint("table"),
            )
        return found

    def open_table(self, path: Path) -> Source:
        """Open the table that was fitted, read as the run read it.

        Raises
        ------
        InputError
            The file cannot be read so.
        """
        with self._refuse_other(str(path)):
            return open_as_fitted(self.folder, path, Reading(), ())[0]

    @contextmanager
    def _refuse_other(self, name: str) -> Iterator[None]:
        """Say that a table is not the run's where it would have to be read in another way: there is one way alone."""
        try:
            yield
        except InputError as error:
            asked = {part.option for part in error.note.parts if isinstance(part, Hint)}
            if not asked & {field.name for field in fields(Reading)}:
                raise
            raise self._another(name, f" ({error.note.partition('; ')[0].removeprefix(f'{name} ')})") from error

    def _another(self, name: str, why: str = "") -> InputError:
        return InputError(
            f"{name} is another table than the run in {self.folder} was fitted to{why}; give that one with ",
            Hint("table"),
        )

    def refine(self, level: Level, source: Source) -> Level:
        """Let the rows and the columns of a level move to the clusters that fit them best.

        Either axis is refined against the fine clusters of the other one: coarse ones blur what has to be told apart.

        Parameters
        ----------
        source : Source
            The table that was fitted.

        Raises
        ------
        InputError
            It is another table.
        """
        problem = self.load(source)
        own = problem.only_part.family
        family = family_of_levels(
            own, only_part(blocks_of(problem, self.fine.rows, self.fine.columns)), self.trees.loss
        )

        def refined(rows: Labels, columns: Labels) -> tuple[Labels, Labels]:
            items, others = problem.oriented(rows, columns)
            found = refine(problem.shards, items, others, family)
            return problem.oriented(found.rows, found.columns)

        rows = canonical_labels(refined(level.rows, self.fine.columns)[0])
        columns = canonical_labels(refined(self.fine.rows, level.columns)[1])
        blocks = only_part(problem.turned(blocks_of(problem, rows, columns)))
        return Level(rows, columns, (own.leave(blocks),))

    def load(self, source: Source, axis: Axis | None = None) -> Problem:
        """Load the table that was fitted, as one shard in memory.

        Parameters
        ----------
        axis : {"rows", "columns"}, optional
            That is cut; by default the one that the run cut.

        Raises
        ------
        InputError
            It is another table.
        """
        return self.load_dataset(self._ingest(source, open_store("memory://")), axis)

    def load_dataset(self, dataset: Dataset, axis: Axis | None = None) -> Problem:
        """Load the dataset that was fitted; see :meth:`load`."""
        record, store = self.record, open_store("memory://")
        names = {field.name for field in fields(Options)}
        options = Options.from_dict({name: value for name, value in record["parameters"].items() if name in names})
        manifest = prepare(
            dataset,
            store,
            "shards",
            n_shards=1,
            axis=axis or record["data"]["axis"],
            transform=record["data"]["transform"],
            cells=self.trees.meta.cells,
            exposure=exposure_of(self.trees.meta.facts, options),
            covariates=covariates_of(self.trees.meta.facts) if self.trees.meta.cells == RESPONSES else None,
            most_bytes=available_bytes(),
        )
        warm_up(manifest.dimension, options, complete=manifest.missing == 0, sparse=manifest.sparse)
        return stored_problem(store, manifest, options, consume=True)

    def check_table(self, source: Source) -> None:
        """Raise InputError unless this is the table that was fitted."""
        self._ingest(source, open_store("memory://"))

    def _ingest(self, source: Source, store: ObjectStore) -> Dataset:
        with self._refuse_other(source.name):
            dataset = ingest(source, store, "dataset")
        if dataset.sha256 != self.record["data"]["sha256"]:
            raise self._another(source.name)
        return dataset

    def hand_back(
        self, level: Level, certainty: Mapping[Axis, Certainty], table: Path, source: Source, target: Path
    ) -> None:
        """Write a copy of the table that was fitted as AnnData, with a level's clusters in obs and var.

        Where a level merges clusters, the table also has the clusters of the run, and how sure each is.

        Parameters
        ----------
        certainty : mapping
            What :meth:`judge` says of the level.

        Raises
        ------
        InputError
            There is such a file, or AnnData is not installed, or the table cannot be labelled.
        RunError
            The file cannot be written.
        """
        added = []
        for axis in AXES:
            labels, fine = getattr(level, axis), getattr(self.fine, axis)
            kept = {"": labels} if np.array_equal(labels, fine) else {"": labels, "fine": fine}
            sure = certainty[axis].confidence if axis in certainty else None
            if sure is None and np.array_equal(labels, fine):
                sure = self._read_confidence(axis)
            added.append(kept | ({} if sure is None else {"confidence": sure}))
        write_h5ad(table, source, self.names("rows"), target, added[0], added[1], self.record)

    def _read_confidence(self, axis: Axis) -> Floats | None:
        """How sure each of the run's own labels is; None where it kept no draws."""
        with (self.folder / f"{axis}.csv").open(encoding="utf-8", newline="") as file:
            sure = [line["confidence"] for line in csv.DictReader(file) if "confidence" in line]
        return np.array(sure, dtype=np.float64) if sure else None

    def judge(self, level: Level) -> dict[Axis, Certainty]:
        """How sure each axis of a level is that merges clusters; none where the run kept no draws to compare.

        Raises
        ------
        RunError
            The draws are damaged.
        """
        path = RunFolder(self.folder).draws
        merged = [axis for axis in AXES if not np.array_equal(getattr(level, axis), getattr(self.fine, axis))]
        if not merged or not path.is_file():
            return {}
        draws, found = open_draws(path), dict[Axis, Certainty]()
        for axis in merged:
            if (drawn := grow_drawn(axis, draws, self.trees.loss)) is not None:
                found[axis] = certainty_of_level(drawn, getattr(level, axis), getattr(self.fine, axis))
        return found

    def write(self, level: Level, certainty: Mapping[Axis, Certainty], folder: Path) -> None:
        """Write rows.csv and columns.csv of a level, each with the cluster of the run beside it, and blocks.csv.

        Parameters
        ----------
        certainty : mapping
            What :meth:`judge` says of the level.
        """
        for axis in AXES:
            labels, fine = getattr(level, axis), getattr(self.fine, axis)
            told: dict[str, Iterable[Any]] = {"id": self.names(axis), "label": labels.tolist(), "fine": fine.tolist()}
            if axis in certainty:
                told |= columns_of(certainty[axis])
            write_table(folder / f"{axis}.csv", tuple(told), zip(*told.values(), strict=True))
        rows, columns = (np.bincount(labels[labels >= 0]) for labels in (level.rows, level.columns))
        write_table(folder / "blocks.csv", *block_table(level.parts, rows, columns, self.trees.meta))


def _read_fine(folder: Path, axis: str, tree: Tree) -> Labels:
    path = folder / f"{axis}.csv"
    words = read_labels(path).labels
    if not all(word.isascii() and word.isdigit() for word in words):
        raise RunError(f"{path} is damaged: its labels are no numbers; fit again with ", Hint("force"))
    # Longer ones than any number of clusters.
    labels = np.array([min(int(word[:12]), len(tree.sizes)) for word in words], dtype=np.int64)
    if not np.array_equal(np.bincount(labels, minlength=len(tree.sizes)), tree.sizes):
        raise RunError(f"{path} does not fit tree.npz: the folder mixes two runs; fit again with ", Hint("force"))
    return labels.astype(np.int32)
