"""What is asked of a run, and the one writer and reader of its ``request.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal

from disnplbm.algorithm import ALGORITHM_VERSION
from disnplbm.errors import RunError
from disnplbm.notes import from_plain, to_plain

PlainLabels = list[Any] | dict[str, list[Any]]


@dataclass(frozen=True, slots=True)
class Request:
    """What to fit and how the data are cut, besides its options.

    Parameters
    ----------
    name : str
        What to call the data.
    path : str
        Where they came from.
    n_shards : int or "auto"
    axis : {"auto", "rows", "columns"}
    transform : str
        As :func:`disnplbm.data.transform.check_transform` gives it.
    row_classes, column_classes : list of str, optional
        Known classes, compared with the result: one for each row (column) in the order of the table, or a mapping with
        the lists ``ids`` and ``labels`` in any order.
    start_rows, start_columns : list of int, optional
        Labels to start from, likewise.
    row_factors, column_factors : list of float, optional
        What counts are compared with where the exposure is given, likewise; None: all are 1.
    row_covariates, column_covariates : dict, optional
        What responses depend on, as :meth:`disnplbm.data.covariates.GivenCovariates.to_plain` writes it.
    """

    name: str
    path: str
    n_shards: int | Literal["auto"] = "auto"
    axis: Literal["auto", "rows", "columns"] = "auto"
    transform: str = "none"
    row_classes: PlainLabels | None = None
    column_classes: PlainLabels | None = None
    start_rows: PlainLabels | None = None
    start_columns: PlainLabels | None = None
    row_factors: PlainLabels | None = None
    column_factors: PlainLabels | None = None
    row_covariates: dict[str, Any] | None = None
    column_covariates: dict[str, Any] | None = None


#: Fields of a :class:`Request` that hold labels.
LABEL_FIELDS = ("row_classes", "column_classes", "start_rows", "start_columns")

#: Fields of a :class:`Request` that hold factors. They are written down where there are some.
FACTOR_FIELDS = ("row_factors", "column_factors")

#: Fields of a :class:`Request` that hold covariates, likewise.
COVARIATE_FIELDS = ("row_covariates", "column_covariates")

_IN_FOLDER = ("name", "path", "created", "options", "algorithm", *LABEL_FIELDS, "warnings", "seconds", "stages")
_IN_STORE = (
    "name",
    "path",
    "n_shards",
    "axis",
    *LABEL_FIELDS,
    "warnings",
    "seconds",
    "created",
    "options",
    "algorithm",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRequest:
    """A run as it was asked for.

    Parameters
    ----------
    asked : Request
        Of a request that was read: without the transform, which the shards have gone through.
    options : dict
        :meth:`disnplbm.engine.options.Options.to_dict`.
    created : str
        The moment, in ISO 8601.
    algorithm : int
        Version that the run was begun with.
    warnings : sequence of str
        What is odd about the data, as far as they are read.
    seconds, stages : float and mapping
        What reading and sharding took: in all, and each stage.
    """

    asked: Request
    options: dict[str, Any]
    created: str
    algorithm: int = ALGORITHM_VERSION
    warnings: Sequence[str] = ()
    seconds: float = 0.0
    stages: Mapping[str, float] | None = None

    def in_folder(self) -> dict[str, Any]:
        """What a run folder keeps; how the data are cut, its manifest says."""
        return self._record(_IN_FOLDER)

    def in_store(self) -> bytes:
        """What an object store keeps; the data may not be read yet."""
        return json.dumps(self._record(_IN_STORE), ensure_ascii=False).encode()

    @classmethod
    def read(cls, body: bytes) -> RunRequest:
        """Read what a folder or a store kept; ValueError if that is damaged."""
        record: Any = json.loads(body)
        if not isinstance(record, dict) or not record.keys() >= set(_IN_FOLDER) & set(_IN_STORE):
            raise ValueError("no request")
        record["warnings"] = [from_plain(warning) for warning in record["warnings"]]
        own = {field.name for field in fields(cls)}
        asked = Request(**{field.name: record[field.name] for field in fields(Request) if field.name in record})
        return cls(asked=asked, **{name: value for name, value in record.items() if name in own})

    def check_algorithm(self, run: str, anew: str) -> None:
        """Raise RunError if the run was begun by another version of the algorithm; what to call it, and what to do."""
        if self.algorithm != ALGORITHM_VERSION:
            begun = f"{run} was begun by version {self.algorithm} of the algorithm and this is {ALGORITHM_VERSION}"
            raise RunError(f"{begun}: go on with the version it was begun with, or ", anew)

    def _record(self, names: Sequence[str]) -> dict[str, Any]:
        beside = (name for name in (*FACTOR_FIELDS, *COVARIATE_FIELDS) if getattr(self.asked, name) is not None)
        names = (*names, *beside)
        record = {name: getattr(self if hasattr(self, name) else self.asked, name) for name in names}
        return record | {"warnings": [to_plain(warning) for warning in self.warnings]}
