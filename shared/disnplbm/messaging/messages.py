"""What master and workers tell each other, besides arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Self

from msgspec import Meta, Struct, ValidationError, convert
from msgspec.structs import asdict

from disnplbm.cell_types import DENSE
from disnplbm.errors import RunError, first_line
from disnplbm.messaging.queues import INGEST_TASK, PREPARE_TASK, SWEEP_TASK
from disnplbm.notes import to_lines
from disnplbm.sampler.packing import pack, unpack

#: Most characters of a text in a message.
MOST_CHARACTERS = 4096

# A database and JSON take all of these.
Text = Annotated[str, Meta(max_length=MOST_CHARACTERS, pattern=r"\A[^\0]*\Z")]
Whole = Annotated[int, Meta(gt=-(2**63), le=2**63 - 1)]
Number = Annotated[float, Meta(gt=-(2.0**63), lt=2.0**63)]


class Message(Struct, frozen=True, forbid_unknown_fields=True):
    """A record that travels as a msgpack map."""

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: Any) -> Self:
        """A message from what :meth:`to_dict` gave; RunError if it has other fields, or values of other kinds."""
        try:
            # No text is taken for bytes.
            return convert(record, cls, builtin_types=(bytes,))
        except ValidationError as error:
            raise RunError(f"a message is no {cls.__name__} of this version: {first_line(error):.200}") from error


class SweepTask(Message, frozen=True):
    """Sweep a shard: what a worker is told, besides the shard's data and labels.

    Parameters
    ----------
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

    run: Text
    stream: Whole
    iteration: Whole
    shard: Whole
    epoch: Whole
    shards_prefix: Text
    options: dict[str, Any]
    body: bytes | None
    body_key: Text | None
    names: bytes | None
    names_key: Text | None
    labels_key: Text | None
    attempt: Whole
    published: Number
    shards_seal: Text | None

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


class IngestTask(Message, frozen=True):
    """Read an uploaded file into a dataset.

    Parameters
    ----------
    reading : dict
        How the file is read: what :meth:`disnplbm.data.reading.Reading.to_dict` wrote.
    prefix : str
        Where the dataset goes.
    attempt : int
        Starts of it that are known to have ended in an error.
    """

    job: ClassVar[str] = "ingest"

    dataset: Text
    upload_key: Text
    upload_bytes: Whole
    upload_sha256: Text
    reading: dict[str, Any]
    prefix: Text
    attempt: Whole

    @property
    def subject(self) -> str:
        """What it is for."""
        return self.dataset

    @property
    def name(self) -> str:
        """Which of the tasks for its subject it is."""
        return f"{self.job}-{self.attempt}"


class PrepareTask(Message, frozen=True):
    """Shard a dataset for a run.

    Parameters
    ----------
    prefix : str
        Of the dataset.
    n_shards : int or "auto"
        "auto" is as many as pay where each is a message: :func:`disnplbm.data.sharding.paying_shards`.
    axis : {"auto", "rows", "columns"}
    attempt : int
        Starts of it that are known to have ended in an error.
    seal : str or None
        The sha256 of the dataset's ``dataset.json``; None for a dataset from before there were seals.
    cells, exposure : str
        As :class:`disnplbm.engine.options.Options` has them; earlier versions knew real numbers only.
    request_seal : str or None
        The sha256 of the run's ``request.json``, which holds the factors where the exposure is given.
    """

    job: ClassVar[str] = "prepare"

    run: Text
    prefix: Text
    n_shards: Whole | Text
    axis: Text
    transform: Text
    attempt: Whole
    seal: Text | None
    cells: Text = DENSE
    exposure: Text = "margins"
    request_seal: Text | None = None

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


class ColumnStep(Message, frozen=True):
    """The shards of a chain's iteration are done: what the callback of a chord is told."""

    run: Text
    stream: Whole
    iteration: Whole

    @classmethod
    def from_arguments(cls, arguments: Sequence[Any]) -> Self:
        """A message from the values of its fields, in their order; RunError if they are of other kinds."""
        names = cls.__struct_fields__
        if len(arguments) != len(names):
            raise RunError(f"a message is no {cls.__name__} of this version: it has {len(arguments)} arguments")
        return cls.from_dict(dict(zip(names, arguments, strict=True)))


class Result(Message, frozen=True):
    """What a worker puts on the results queue."""

    kind: ClassVar[str]

    @property
    def content(self) -> bytes | None:
        """What most of a long message is."""
        return None

    def to_bytes(self) -> bytes:
        """The message and its kind."""
        return pack([self.kind, self.to_dict()])


class Swept(Result, frozen=True):
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

    run: Text
    stream: Whole
    iteration: Whole
    shard: Whole
    epoch: Whole
    digest: Text
    payload: bytes | None
    payload_key: Text | None
    labels_key: Text
    worker: Text
    seconds: Number
    waited: Number
    redelivered: Whole
    source: Text

    @property
    def content(self) -> bytes | None:
        """The statistics."""
        return self.payload


class SweepFailed(Result, frozen=True):
    """Starts of a shard that ended in an error.

    Parameters
    ----------
    run, stream, iteration, shard, epoch, attempt
        As in :class:`SweepTask`. Of one attempt a single failure counts, however often it is told.
    reason : str
        What :func:`disnplbm.notes.to_lines` wrote.
    labels_missing : bool
        Whether what is missing are labels of the last iteration, so that the chain must go back.
    """

    kind: ClassVar[str] = "sweep-failed"

    run: Text
    stream: Whole
    iteration: Whole
    shard: Whole
    epoch: Whole
    attempt: Whole
    starts: Whole
    reason: Text
    labels_missing: bool
    worker: Text


class Ingested(Result, frozen=True):
    """A dataset was read; ``seal`` belongs to its ``dataset.json``."""

    kind: ClassVar[str] = "ingested"

    dataset: Text
    prefix: Text
    n: Whole
    p: Whole
    dimension: Whole
    sha256: Text
    missing: Whole
    seal: Text


class Prepared(Result, frozen=True):
    """A dataset was sharded; ``seal`` belongs to the shards' manifest."""

    kind: ClassVar[str] = "prepared"

    run: Text
    shards_prefix: Text
    n_shards: Whole
    seal: Text


class JobFailed(Result, frozen=True):
    """A dataset could not be read, or a run's data not be sharded.

    Parameters
    ----------
    job : {"ingest", "prepare"}
    subject : str
        The dataset or the run.
    attempt : int
        As in :class:`IngestTask`. Of one attempt a single failure counts, however often it is told.
    reason : str
        What :func:`disnplbm.notes.to_lines` wrote.
    final : bool
        Whether trying again cannot help, because the input is wrong.
    """

    kind: ClassVar[str] = "job-failed"

    job: Text
    subject: Text
    attempt: Whole
    starts: Whole
    reason: Text
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
        reason=to_lines(reason)[:MOST_CHARACTERS],
        labels_missing=labels_missing,
        worker=worker,
    )


def job_failed(task: JobTask, starts: int, reason: str, *, final: bool = False) -> JobFailed:
    """What the master is told of a job's starts that came to nothing; ``reason`` is one line."""
    return JobFailed(task.job, task.subject, task.attempt, starts, to_lines(reason)[:MOST_CHARACTERS], final)


_KINDS: dict[str, type[Result]] = {
    message.kind: message for message in (Swept, SweepFailed, Ingested, Prepared, JobFailed)
}


def result_of(data: bytes | memoryview) -> Result:
    """The message that :meth:`Result.to_bytes` gave; RunError if it is none."""
    parts = unpack(data)
    if not (isinstance(parts, list) and len(parts) == 2 and isinstance(parts[0], str) and parts[0] in _KINDS):
        raise RunError("a message on the results queue is of no known kind: it comes from another version")
    return _KINDS[parts[0]].from_dict(parts[1])
