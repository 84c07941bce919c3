"""What is known of datasets, runs and chains, as plain frozen values; `fit` needs them, and no database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from disnplbm.cell_types import DENSE
from disnplbm.runs.states import State
from disnplbm.sampler.trace_row import TraceRow

DatasetState = Literal["UPLOADED", "READY", "FAILED"]
JobKind = Literal["ingest", "prepare"]
JobState = Literal["WAITING", "PUBLISHED", "DONE", "FAILED"]


class Sources(NamedTuple):
    """The objects that a run under way is computed from, as the database names them.

    Parameters
    ----------
    run : str
        Its id, which its request is found by.
    request_seal, shards_seal : str or None
        The sha256 of its request and of its shards' manifest; not known of runs from before migration 0005.
    """

    run: str
    shards_prefix: str
    request_seal: str | None
    shards_seal: str | None


class Reported(NamedTuple):
    """What a run that succeeded reports of its estimate: the consensus, the best draw or the last iteration."""

    row_clusters: int
    column_clusters: int
    log_joint: float
    verdict: dict[str, Any]
    """Whether its chains agree: :meth:`disnplbm.posterior.verdict.Verdict.to_dict`."""


@dataclass(frozen=True, slots=True)
class DatasetRecord:
    """A dataset.

    Parameters
    ----------
    path : str
        Where the file was when it was uploaded.
    state : {"UPLOADED", "READY", "FAILED"}
    upload_key, upload_sha256 : str
    upload_bytes : int
        The file as given, an object.
    reading : dict
        How the file is read: what :meth:`disnplbm.data.reading.Reading.to_dict` wrote.
    prefix : str
        Where the ingested dataset is, or will be.
    n, p, dimension, missing : int or None
        Rows, columns, numbers per cell and cells without a value; known once it is READY, as is ``sha256``.
    sha256 : str or None
        Of the cells.
    error : str or None
        Why it FAILED.
    seal : str or None
        The sha256 of its ``dataset.json``; known once it is READY, unless a version before migration 0005 read it.
    """

    id: str
    name: str
    path: str
    state: DatasetState
    upload_key: str
    upload_bytes: int
    upload_sha256: str
    reading: dict[str, Any]
    prefix: str
    n: int | None
    p: int | None
    dimension: int | None
    sha256: str | None
    missing: int | None
    error: str | None
    created_at: datetime
    seal: str | None


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run.

    Parameters
    ----------
    epoch : int
        Raised by every resume; messages of another are stale.
    options : dict
        :meth:`disnplbm.engine.options.Options.to_dict`.
    n_shards_wanted : int or "auto"
    shards_prefix, n_shards
        Known once it started.
    algorithm : int
        ALGORITHM_VERSION it was submitted with.
    iterations_total : int
        Of all streams together.
    error : str or None
        Why it FAILED.
    created_at, started_at, finished_at : datetime
        The last is also set when it FAILED, until it is resumed.
    row_clusters, column_clusters, log_joint : int, int, float or None
        What it reports; known once it SUCCEEDED, but not of runs that a version before migration 0003 finished.
    verdict : dict or None
        Whether its chains agree (:meth:`disnplbm.posterior.verdict.Verdict.to_dict`); known once it SUCCEEDED, but not
        of runs that a version before migration 0004 finished.
    request_seal, shards_seal : str or None
        The sha256 of its ``request.json``, and of the manifest of its shards once it started; not known of runs from
        before migration 0005.
    result_seals : dict or None
        The sha256 of each file of its results, by name, once it SUCCEEDED; not known of runs that ended before
        migration 0006.
    """

    id: str
    name: str
    dataset_id: str
    state: State
    epoch: int
    options: dict[str, Any]
    n_shards_wanted: int | Literal["auto"]
    axis_wanted: str
    transform: str
    shards_prefix: str | None
    n_shards: int | None
    algorithm: int
    iterations_total: int
    error: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    row_clusters: int | None
    column_clusters: int | None
    log_joint: float | None
    verdict: dict[str, Any] | None
    request_seal: str | None
    shards_seal: str | None
    result_seals: dict[str, str] | None

    @property
    def cells(self) -> str:
        """Type of the cells that was asked for; runs of earlier versions took real numbers."""
        return str(self.options.get("cells", DENSE))

    @property
    def exposure(self) -> str:
        """What counts are compared with."""
        return str(self.options.get("exposure", "margins"))

    @property
    def sources(self) -> Sources:
        """What it is computed from, once it has started."""
        return Sources(self.id, str(self.shards_prefix), self.request_seal, self.shards_seal)


@dataclass(frozen=True, slots=True)
class ChainRecord:
    """A stream of a run, with what is needed of the run.

    Parameters
    ----------
    stream : int
        The chain's number in the samplers' random streams.
    chain : int
        The chain it is, or is a start of.
    short : int or None
        Number of the short chain; None for a chain.
    iterations : int
        To do in all.
    iteration : int
        Under way: 0 is the start, ``iterations + 1`` when it ended.
    state, state_key : bytes, str or None
        The packed state after ``iteration - 1``, or the object that holds it; neither for iteration 0.
    published_at : datetime or None
        When the iteration was published.
    awaited : int
        Short chains of its chain, the first ones, that must have ended before it starts.
    epoch, n_shards, shards_prefix, request_seal, shards_seal
        Of the run.
    """

    run: str
    stream: int
    chain: int
    short: int | None
    iterations: int
    iteration: int
    state: bytes | None
    state_key: str | None
    published_at: datetime | None
    ended: bool
    awaited: int
    run_state: State
    epoch: int
    n_shards: int | None
    shards_prefix: str | None
    request_seal: str | None
    shards_seal: str | None

    @property
    def sources(self) -> Sources:
        """What it is computed from, once it has started."""
        return Sources(self.run, str(self.shards_prefix), self.request_seal, self.shards_seal)


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A shard whose statistics arrived.

    Parameters
    ----------
    digest : str
        Of statistics and labels.
    labels_key : str
        The object with the labels.
    payload, payload_key : bytes, str or None
        The packed statistics, or the object that holds them; neither once the chain went on.
    seconds, waited : float
        Of the sweep, and before it.
    source : str
        Where the worker had the shard.
    redelivered : int
        Deliveries of the task before this one.
    received_at : datetime or None
        Set when it is recorded.
    """

    run: str
    stream: int
    iteration: int
    shard: int
    digest: str
    labels_key: str
    payload: bytes | None
    payload_key: str | None
    worker: str
    seconds: float
    waited: float = 0.0
    source: str = ""
    redelivered: int = 0
    received_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class IterationRecord:
    """An iteration that was done.

    Parameters
    ----------
    stream, iteration : int
        Iterations count from 1.
    shards : tuple of dict
        Timings of each shard.
    """

    stream: int
    iteration: int
    row: TraceRow
    shards: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Advance:
    """The outcome of an iteration: what :meth:`ChainStore.advance` commits.

    Parameters
    ----------
    stream, iteration : int
        The iteration that was done.
    state, state_key : bytes, str or None
        The packed state after it, or the object that holds it.
    labels : tuple of str
        Keys of its labels, in shard order.
    ended : bool
        Whether it was the last one.
    record : IterationRecord or None
        What the trace has of it; None for iteration 0.
    draw : (str, str) or None
        The key and the sha256 of the object with the draw, if one was kept.
    """

    run: str
    stream: int
    iteration: int
    state: bytes | None
    state_key: str | None
    labels: tuple[str, ...]
    ended: bool
    record: IterationRecord | None
    draw: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class CheckpointRecord:
    """What is needed to do an iteration.

    Parameters
    ----------
    stream, iteration : int
        The iteration that can be done from it.
    state, state_key : bytes, str or None
        The packed state after ``iteration - 1``, or the object that holds it.
    labels : tuple of str
        Keys of the labels after ``iteration - 1``, in shard order.
    """

    run: str
    stream: int
    iteration: int
    state: bytes | None
    state_key: str | None
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JobRecord:
    """Work besides iterations.

    Parameters
    ----------
    kind : {"ingest", "prepare"}
    subject : str
        The dataset, or the run.
    state : {"WAITING", "PUBLISHED", "DONE", "FAILED"}
    attempts : int
        Starts that ended in an error.
    error : str or None
        Of the last of them.
    """

    kind: JobKind
    subject: str
    state: JobState
    published_at: datetime | None
    attempts: int
    error: str | None


@dataclass(frozen=True, slots=True)
class EventRecord:
    """What happened to a run or a dataset.

    Parameters
    ----------
    id : int
        Grows with time.
    actor : str
        Who did it.
    kind : str
        "state" for a change of state; "submitted", "rewound", "deleted", "uploaded", ...
    """

    id: int
    at: datetime
    run_id: str | None
    dataset_id: str | None
    actor: str
    kind: str
    from_state: str | None
    to_state: str | None
    reason: str
    data: dict[str, Any]


class RunProgress(NamedTuple):
    """How far a run has come: iterations of all its streams, and what it reports.

    Until it has succeeded, the last row of its first chain's trace.
    """

    done: int
    total: int
    row_clusters: int | None
    column_clusters: int | None
    log_joint: float | None
    stage: str
