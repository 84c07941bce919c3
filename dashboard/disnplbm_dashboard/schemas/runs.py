"""Runs."""

from __future__ import annotations

import functools
import operator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from disnplbm.data.transform import MOST_STEPS, STEPS
from disnplbm.described import BOUNDS, DESCRIBED
from disnplbm.engine.options import Options
from disnplbm.runs.records import DatasetRecord, IterationRecord, RunProgress, RunRecord
from disnplbm.runs.states import TRANSITIONS, State
from disnplbm_dashboard.lists.sorting import NEWEST_FIRST, SORTS
from disnplbm_dashboard.schemas.common import (
    Count,
    Given,
    Id,
    Noted,
    PageQuery,
    Plain,
    Query,
    Title,
    counted,
    noted,
)

Action = Literal["cancel", "pause", "resume", "delete", "clone", "download"]

_STATE = f"({'|'.join(State)})"

_STATES = f"^{_STATE}(,{_STATE})*$"

_SORT = f"^-?({'|'.join(SORTS)})$"

_MOST_LABELS = 5_000_000

_SHARDS = BOUNDS["shards"]


def _described(name: str, kind: Any) -> tuple[Any, Any]:
    """The type of an option and its default, with what :data:`disnplbm.described.DESCRIBED` says of it."""
    option = DESCRIBED[name]
    if option.absent is not None:
        kind |= None
    if (bound := option.bound) is not None:
        number: Any = Annotated[int if bound.whole else float, Field(ge=bound.least, le=bound.most)]
        # Of a union that holds a number, what else it holds.
        kind = functools.reduce(operator.or_, (other for other in get_args(kind) if other not in (int, float)), number)
    said = option.help if option.absent is None else f"{option.help} Null: {option.absent}."
    about = Field(title=option.label, description=said, json_schema_extra={"group": option.group})
    return Annotated[kind, about], None if option.absent is not None else option.default


def _options_model() -> type[BaseModel]:
    """A model with the fields and defaults of :class:`disnplbm.engine.options.Options`."""
    types = get_type_hints(Options) | {"sampler": Literal[DESCRIBED["sampler"].choices]}
    described: dict[str, Any] = {name: _described(name, types[name]) for name in DESCRIBED}
    return create_model(
        "RunOptions",
        __doc__="Options of the sampler; docs/cli.md says what each does.",
        __config__=ConfigDict(extra="forbid", allow_inf_nan=False, strict=True),
        **described,
    )


if TYPE_CHECKING:

    class RunOptions(BaseModel):
        """Made below, from what the engine takes."""
else:
    RunOptions = _options_model()

Labels = Annotated[list[Annotated[int, Field(ge=0, le=2**31 - 1)]], *counted(_MOST_LABELS)]
Classes = Annotated[list[Plain], *counted(_MOST_LABELS)]

Ids = Annotated[list[Annotated[str, Field(max_length=2000)]], *counted(_MOST_LABELS)]


class ClassesById(Given):
    """Classes with the names of the rows (columns) that they are of, in any order."""

    ids: Ids
    labels: Classes


class LabelsById(Given):
    """Labels with the names of the rows (columns) that they are of, in any order."""

    ids: Ids
    labels: Labels


_STEP = f"({'|'.join(STEPS)})"

Transform = Annotated[str, Field(pattern=f"^(none|{_STEP}(,{_STEP}){{0,{MOST_STEPS - 1}}})$")]


class RunChanges(Given):
    """How a run differs from another, or from the defaults."""

    name: Title | None = Field(None, description="By default the name of the file.")
    shards: Literal["auto"] | Annotated[int, Field(ge=_SHARDS.least, le=_SHARDS.most)] | None = None
    axis: Literal["auto", "rows", "columns"] | None = None
    transform: Transform | None = Field(None, description="One of them, or several in order: log1p,center.")
    row_classes: Classes | ClassesById | None = Field(
        None,
        description="Known classes, scored and not used: one for each row in the order of the table, or with ids.",
    )
    column_classes: Classes | ClassesById | None = None
    start_rows: Labels | LabelsById | None = Field(
        None, description='Labels to start from, with `start` = "given": in the order of the table, or with ids.'
    )
    start_columns: Labels | LabelsById | None = None
    options: RunOptions | None = None


class NewRun(RunChanges):
    """What to run."""

    dataset: Id


class DatasetOfRun(BaseModel):
    """What a run needs to say of its dataset."""

    id: str
    name: str
    state: str
    rows: int | None
    columns: int | None
    dimension: int | None


class Progress(BaseModel):
    """Iterations of all chains together."""

    done: int
    total: int


AxisState = Literal["settled", "short", "stuck", "undefined"]


class VerdictAnswer(BaseModel):
    """Whether the chains of a run give one answer."""

    kind: Literal["settled", "short", "stuck", "undefined", "one_chain", "no_draws"] = Field(
        description="short: the chains overlap, and longer ones may settle. stuck: each stays with an answer of its "
        "own, and the one with the highest mean log joint is reported. one_chain: nothing is known of other starts. "
        "no_draws: a last state, of which nothing can be judged."
    )
    chains: int
    rows: AxisState
    columns: AxisState
    log_joint: AxisState
    r_hat: float | None = Field(description="The largest finite one of the axes that are not settled.")
    ari: float | None = Field(description="The smallest adjusted Rand index between two chains, of these axes.")


class RunAnswer(BaseModel):
    """A run."""

    id: str
    name: str
    dataset: DatasetOfRun
    state: State
    stage: str = Field(description="What is being done: reading, sharding, sampling, finishing; or the state.")
    allowed_actions: list[Action]
    progress: Progress
    row_clusters: int | None = Field(
        description="Of what a finished run reports; until then of the first chain, after its last iteration."
    )
    column_clusters: int | None
    log_joint: float | None
    verdict: VerdictAnswer | None = Field(description="Of a finished run; null where an earlier version finished it.")
    options: dict[str, Any]
    shards: int | None = Field(description="Known once it runs.")
    shards_wanted: int | Literal["auto"]
    axis: str
    transform: str
    error: str | None
    fault: Noted | None = Field(description="The error, with the options that it names.")
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    elapsed_seconds: float | None = Field(description="From its start to its end, or until now.")

    @classmethod
    def of(cls, run: RunRecord, dataset: DatasetRecord, progress: RunProgress, *, may_change: bool) -> RunAnswer:
        """The answer for a record, to somebody who may change runs, or only look at them."""
        return cls(
            id=run.id,
            name=run.name,
            dataset=DatasetOfRun(
                id=dataset.id,
                name=dataset.name,
                state=dataset.state,
                rows=dataset.n,
                columns=dataset.p,
                dimension=dataset.dimension,
            ),
            state=run.state,
            stage=progress.stage,
            allowed_actions=allowed_actions(run.state, may_change=may_change),
            progress=Progress(done=progress.done, total=progress.total),
            row_clusters=progress.row_clusters,
            column_clusters=progress.column_clusters,
            log_joint=progress.log_joint,
            verdict=None if run.verdict is None else VerdictAnswer.model_validate(run.verdict),
            options=run.options,
            shards=run.n_shards,
            shards_wanted=run.n_shards_wanted,
            axis=run.axis_wanted,
            transform=run.transform,
            error=run.error,
            fault=noted(run.error),
            created_at=run.created_at,
            started_at=run.started_at,
            finished_at=run.finished_at,
            elapsed_seconds=_elapsed(run),
        )


class Runs(BaseModel):
    """A page of runs, by default the newest first."""

    items: list[RunAnswer]
    next: str | None = Field(description="Cursor of the next page; null at the end.")


class RunsQuery(PageQuery):
    """Which runs."""

    state: Annotated[
        str | None,
        Field(description="One state or several, joined by commas.", pattern=_STATES, max_length=100),
    ] = None
    search: Plain = Field("", description="A part of the name, or the beginning of the id.")
    dataset: Id | None = None
    sort: Annotated[
        str,
        Field(
            description="What they are sorted by; - before it turns the order round. Those with equal values come the "
            "newest first, those without a value last: clusters (row clusters times column clusters) and log_joint are "
            "of runs that succeeded.",
            pattern=_SORT,
        ),
    ] = NEWEST_FIRST


class Reason(Given):
    """Why, for the event."""

    reason: Plain = ""


class StreamTrace(BaseModel):
    """The trace of a chain, or of a short one that a chain starts from the best of; arrays of one length."""

    stream: int
    chain: int
    short: int | None
    iteration: list[int]
    log_joint: list[float | None]
    row_clusters: list[int]
    column_clusters: list[int]
    alpha: list[float]
    beta: list[float]
    seconds: list[float]


class TraceAnswer(BaseModel):
    """Traces of all chains, or of one."""

    streams: list[StreamTrace]


class TraceQuery(Query):
    """Which part of the trace."""

    stream: Annotated[Count | None, Field(description="Of one stream only.")] = None
    after: Annotated[Count, Field(description="Iterations after this one.", le=2**31 - 1)] = 0


class ShardTiming(BaseModel):
    """What a shard took."""

    shard: int
    worker: str
    waited: float = Field(description="Seconds before a worker took it.")
    seconds: float
    source: str = Field(description="Where the worker had the shard from.")
    redelivered: int


class IterationTimeline(BaseModel):
    """An iteration and its shards."""

    stream: int
    iteration: int
    seconds: float
    shards: list[ShardTiming]

    @classmethod
    def of(cls, done: IterationRecord) -> IterationTimeline:
        """The timeline of an iteration."""
        shards = [ShardTiming.model_validate(shard) for shard in done.shards]
        return cls(stream=done.stream, iteration=done.iteration, seconds=done.row.seconds, shards=shards)


class Timeline(BaseModel):
    """Iterations of a stream, in their order."""

    items: list[IterationTimeline]


class TimelineQuery(Query):
    """Which iterations; the last ones by default."""

    stream: Count = 0
    after: Annotated[Count | None, Field(description="Iterations after this one.", le=2**31 - 1)] = None
    limit: Annotated[int, Field(ge=1, le=1000)] = 100


class ActivityAnswer(BaseModel):
    """What workers of a cluster do for a run at this moment; nothing where this process does the runs itself."""

    embedded: bool
    shards: int = Field(description="Of the iterations under way.")
    arrived: int = Field(description="Shards of these that are done.")
    workers: int = Field(description="That sent something in the last minute.")
    last_seen: datetime | None = Field(description="When a worker sent something for the last time.")


def allowed_actions(state: State, *, may_change: bool) -> list[Action]:
    """What somebody can do with a run who may change runs, or only look at them."""
    following = TRANSITIONS[state]
    actions: list[Action] = []
    if not may_change:
        return ["download"] if state == State.SUCCEEDED else []
    if State.CANCELLED in following:
        actions.append("cancel")
    if State.PAUSED in following:
        actions.append("pause")
    if state in (State.PAUSED, State.FAILED):
        actions.append("resume")
    if not following or state == State.FAILED:
        actions.append("delete")
    if state == State.SUCCEEDED:
        actions.append("download")
    return [*actions, "clone"]


def _elapsed(run: RunRecord) -> float | None:
    if run.started_at is None:
        return None
    return ((run.finished_at or datetime.now(UTC)) - run.started_at).total_seconds()
