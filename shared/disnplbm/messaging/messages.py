"""What master and workers tell each other, besides arrays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from functools import cache
from types import UnionType
from typing import Any, ClassVar, Self, get_args, get_origin, get_type_hints

from disnplbm.errors import RunError
from disnplbm.messaging.queues import INGEST_TASK, PREPARE_TASK, SWEEP_TASK
from disnplbm.sampler.packing import pack, unpack

#: Most characters of a text in a message.
MOST_CHARACTERS = 4096


@dataclass(frozen=True, slots=True)
class Message:
    """A record that travels as a msgpack map."""

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: Any) -> Self:
        """A message from what :meth:`to_dict` gave; RunError if it has other fields, or values of other kinds."""
        kinds = _kinds(cls)  # type: ignore[arg-type] # mypy takes the class for unhashable
        if not isinstance(record, dict) or record.keys() != kinds.keys():
            raise RunError(f"a message is no {cls.__name__}: it comes from another version")
        for name, value in record.items():
            if not _fits(value, kinds[name]):
                raise RunError(f"a message is no {cls.__name__}: its {name} is of another kind")
        return cls(**record)


@cache
def _kinds(message: type[Message]) -> dict[str, tuple[type, ...]]:
    """The types that each field of a message may have."""
    hints = get_type_hints(message)
    found = {}
    for field in fields(message):
        hint = hints[field.name]
        options = get_args(hint) if isinstance(hint, UnionType) else (hint,)
        found[field.name] = tuple(get_origin(option) or option for option in options)
    return found


def _fits(value: Any, kinds: tuple[type, ...]) -> bool:
    """Whether a value may stand in a field; no text or number that a database or JSON could not take."""
    if isinstance(value, bool):
        return bool in kinds
    if not isinstance(value, (*kinds, int) if float in kinds else kinds):
        return False
    if isinstance(value, str):
        return len(value) <= MOST_CHARACTERS and "\0" not in value
    return not isinstance(value, int | float) or (math.isfinite(value) and abs(value) < 2**63)


@dataclass(frozen=True, slots=True)
class SweepTask(Message):
    """Sweep a shard: what a worker is told, besides the shard's data and labels.

    Parameters
    ----------
    run : str
    stream, iteration, shard : int
        Iteration 0 is the chain's start.
    epoch : int
        Of the run; a message of an earlier one is stale.
    shards_prefix : str
        Where the shards are.
    options : dict
        :meth:`disnplbm.engine.options.Options.to_dict` of the run.
    body : bytes or None
        The packed broadcast, for iteration 0 the packed start, if it is small.
    body_key : str or None
        The object that holds it otherwise.
    names : bytes or None
        The shard's clusters as global ones, packed, if they are small; none in iteration 0.
    names_key : str or None
        The object that holds them otherwise.
    labels_key : str or None
        The shard's labels after the last iteration; None in iteration 0.
    attempt : int
        Starts of the shard in this iteration that are known to have ended in an error.
    published : float
        When, in seconds since 1970.
    shards_seal : str or None
        The sha256 of the shards' manifest; None for shards from before there were seals.
    """

    run: str
    stream: int
    iteration: int
    shard: int
    epoch: int
    shards_prefix: str
    options: dict[str, Any]
    body: bytes | None
    body_key: str | None
    names: bytes | None
    names_key: str | None
    labels_key: str | None
    attempt: int
    published: float
    shards_seal: str | None = None

    @property
    def subject(self) -> str:
        """What it is for."""
        return self.run

    @property
    def name(self) -> str:
        """Which of the tasks for its subject it is."""
        return f"sweep-{self.stream}-{self.iteration}-{self.shard}-{self.epoch}-{self.attempt}"

    @property
    def place(self) -> str:
        """What is swept, for people."""
        return f"shard {self.shard} of {self.shards_prefix}, iteration {self.iteration}"


@dataclass(frozen=True, slots=True)
class IngestTask(Message):
    """Read an uploaded file into a dataset.

    Parameters
    ----------
    dataset : str
    upload_key : str
    upload_bytes : int
    upload_sha256 : str
    reading : dict
        How the file is read: what :meth:`disnplbm.data.reading.Reading.to_dict` wrote.
    prefix : str
        Where the dataset goes.
    attempt : int
        Starts of it that are known to have ended in an error.
    """

    job: ClassVar[str] = "ingest"

    dataset: str
    upload_key: str
    upload_bytes: int
    upload_sha256: str
    reading: dict[str, Any]
    prefix: str
    attempt: int

    @property
    def subject(self) -> str:
        """What it is for."""
        return self.dataset

    @property
    def name(self) -> str:
        """Which of the tasks for its subject it is."""
        return f"{self.job}-{self.attempt}"


@dataclass(frozen=True, slots=True)
class PrepareTask(Message):
    """Shard a dataset for a run.

    Parameters
    ----------
    run : str
    prefix : str
        Of the dataset.
    n_shards : int or "auto"
    axis : {"auto", "rows", "columns"}
    transform : str
    attempt : int
        Starts of it that are known to have ended in an error.
    seal : str or None
        The sha256 of the dataset's ``dataset.json``; None for a dataset from before there were seals.
    """

    job: ClassVar[str] = "prepare"

    run: str
    prefix: str
    n_shards: int | str
    axis: str
    transform: str
    attempt: int
    seal: str | None = None

    @property
    def subject(self) -> str:
        """What it is for."""
        return self.run

    @property
    def name(self) -> str:
        """Which of the tasks for its subject it is."""
        return f"{self.job}-{self.attempt}"


#: What comes before a run's first iteration.
JobTask = IngestTask | PrepareTask

_TASKS: dict[str, type[SweepTask | JobTask]] = {
    SWEEP_TASK: SweepTask,
    INGEST_TASK: IngestTask,
    PREPARE_TASK: PrepareTask,
}


def task_of(name: str, record: Any) -> SweepTask | JobTask:
    """What a worker is told by a task of that name; RunError if the record is something else."""
    return _TASKS[name].from_dict(record)


@dataclass(frozen=True, slots=True)
class ColumnStep(Message):
    """The shards of a chain's iteration are done: what the callback of a chord is told."""

    run: str
    stream: int
    iteration: int

    @classmethod
    def from_arguments(cls, arguments: Sequence[Any]) -> Self:
        """A message from the values of its fields, in their order; RunError if they are of other kinds."""
        names = [field.name for field in fields(cls)]
        if len(arguments) != len(names):
            raise RunError(f"a message is no {cls.__name__}: it comes from another version")
        return cls.from_dict(dict(zip(names, arguments, strict=True)))


@dataclass(frozen=True, slots=True)
class Result(Message):
    """What a worker puts on the results queue."""

    kind: ClassVar[str]

    @property
    def content(self) -> bytes | None:
        """What most of a long message is."""
        return None

    def to_bytes(self) -> bytes:
        """The message and its kind."""
        return pack([self.kind, self.to_dict()])


@dataclass(frozen=True, slots=True)
class Swept(Result):
    """A shard was swept.

    Parameters
    ----------
    run, stream, iteration, shard, epoch
        As in :class:`SweepTask`.
    digest : str
        sha256 of the statistics and of the labels.
    payload : bytes or None
        The packed statistics, if they are small.
    payload_key : str or None
        The object that holds them otherwise.
    labels_key : str
    worker : str
    seconds : float
        From the start of the task to the end of the sweep.
    waited : float
        Seconds from publication to the start.
    redelivered : int
        Deliveries before this one.
    source : {"memory", "disk", "store"}
        Where the worker had the shard.
    """

    kind: ClassVar[str] = "swept"

    run: str
    stream: int
    iteration: int
    shard: int
    epoch: int
    digest: str
    payload: bytes | None
    payload_key: str | None
    labels_key: str
    worker: str
    seconds: float
    waited: float
    redelivered: int
    source: str

    @property
    def content(self) -> bytes | None:
        """The statistics."""
        return self.payload


def swept_object(kind: str, run: str, stream: int, iteration: int, shard: int) -> str:
    """What the keys of a shard's ``labels`` and ``statistics`` begin with; the digest of the object follows."""
    return f"runs/{run}/{kind}/{stream}/{iteration}/{shard}"


@dataclass(frozen=True, slots=True)
class SweepFailed(Result):
    """Starts of a shard that ended in an error.

    Parameters
    ----------
    run, stream, iteration, shard, epoch, attempt
        As in :class:`SweepTask`. Of one attempt a single failure counts, however often it is told.
    starts : int
    reason : str
        One line.
    labels_missing : bool
        Whether what is missing are labels of the last iteration, so that the chain must go back.
    worker : str
    """

    kind: ClassVar[str] = "sweep-failed"

    run: str
    stream: int
    iteration: int
    shard: int
    epoch: int
    attempt: int
    starts: int
    reason: str
    labels_missing: bool
    worker: str


@dataclass(frozen=True, slots=True)
class Ingested(Result):
    """A dataset was read; ``seal`` belongs to its ``dataset.json``."""

    kind: ClassVar[str] = "ingested"

    dataset: str
    prefix: str
    n: int
    p: int
    dimension: int
    sha256: str
    missing: int
    seal: str


@dataclass(frozen=True, slots=True)
class Prepared(Result):
    """A dataset was sharded; ``seal`` belongs to the shards' manifest."""

    kind: ClassVar[str] = "prepared"

    run: str
    shards_prefix: str
    n_shards: int
    seal: str


@dataclass(frozen=True, slots=True)
class JobFailed(Result):
    """A dataset could not be read, or a run's data not be sharded.

    Parameters
    ----------
    job : {"ingest", "prepare"}
    subject : str
        The dataset or the run.
    attempt : int
        As in :class:`IngestTask`. Of one attempt a single failure counts, however often it is told.
    starts : int
    reason : str
        One line.
    final : bool
        Whether trying again cannot help: the input is at fault.
    """

    kind: ClassVar[str] = "job-failed"

    job: str
    subject: str
    attempt: int
    starts: int
    reason: str
    final: bool


def sweep_failed(
    task: SweepTask, starts: int, reason: str, worker: str = "", *, labels_missing: bool = False
) -> SweepFailed:
    """What the master is told of a sweep's starts that came to nothing; ``reason`` is one line."""
    return SweepFailed(
        run=task.run,
        stream=task.stream,
        iteration=task.iteration,
        shard=task.shard,
        epoch=task.epoch,
        attempt=task.attempt,
        starts=starts,
        reason=reason[:MOST_CHARACTERS],
        labels_missing=labels_missing,
        worker=worker,
    )


def job_failed(task: JobTask, starts: int, reason: str, *, final: bool = False) -> JobFailed:
    """What the master is told of a job's starts that came to nothing; ``reason`` is one line."""
    return JobFailed(task.job, task.subject, task.attempt, starts, reason[:MOST_CHARACTERS], final)


_KINDS: dict[str, type[Result]] = {
    message.kind: message for message in (Swept, SweepFailed, Ingested, Prepared, JobFailed)
}


def result_of(data: bytes | memoryview) -> Result:
    """The message that :meth:`Result.to_bytes` gave; RunError if it is none."""
    parts = unpack(data)
    if not (isinstance(parts, list) and len(parts) == 2 and isinstance(parts[0], str) and parts[0] in _KINDS):
        raise RunError("a message on the results queue is of no known kind: it comes from another version")
    return _KINDS[parts[0]].from_dict(parts[1])
