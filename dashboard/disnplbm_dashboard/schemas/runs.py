"""Runs."""

from __future__ import annotations

import functools
import operator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from disnplbm.data.covariates import MOST_COVARIATES
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
    if option.pattern is not None:
        kind = Annotated[kind, Field(pattern=f"^{option.pattern}$")]
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

    ids: Ids = Field(description="Names of the rows, or of the columns.")
    labels: Classes = Field(description="The class of each of them.")


Factors = Annotated[list[Annotated[float, Field(gt=0)]], *counted(_MOST_LABELS)]


class FactorsById(Given):
    """Factors with the names of the rows (columns) that they are of, in any order."""

    ids: Ids = Field(description="Names of the rows, or of the columns.")
    labels: Factors = Field(description="The factor of each of them, above 0.")


class CovariatesGiven(Given):
    """Covariates of rows, or of columns."""

    names: Annotated[list[Annotated[str, Field(max_length=2000)]], *counted(MOST_COVARIATES)] = Field(
        description="Of the covariates."
    )
    values: Annotated[list[list[float | None]], *counted(_MOST_LABELS)] = Field(
        description="A list for each row (column), with a value for each covariate; null where it is missing."
    )
    ids: Ids | None = Field(
        None, description="Names of the rows (columns), in any order. Null: the order of the table."
    )


class LabelsById(Given):
    """Labels with the names of the rows (columns) that they are of, in any order."""

    ids: Ids = Field(description="Names of the rows, or of the columns.")
    labels: Labels = Field(description="The cluster of each of them.")


_STEP = f"({'|'.join(STEPS)})"

Transform = Annotated[str, Field(pattern=f"^(none|{_STEP}(,{_STEP}){{0,{MOST_STEPS - 1}}})$")]


class RunChanges(Given):
    """How a run differs from another, or from the defaults."""

    name: Title | None = Field(None, description="By default the name of the file.")
    shards: Literal["auto"] | Annotated[int, Field(ge=_SHARDS.least, le=_SHARDS.most)] | None = Field(
        None, description="Parts of the table that are swept side by side; auto by default."
    )
    axis: Literal["auto", "rows", "columns"] | None = Field(
        None, description="What the shards are of; auto by default."
    )
    transform: Transform | None = Field(None, description="One of them, or several in order: log1p,center.")
    row_classes: Classes | ClassesById | None = Field(
        None,
        description="Known classes, scored and not used: one for each row in the order of the table, or with ids.",
    )
    column_classes: Classes | ClassesById | None = Field(None, description="As row_classes, of the columns.")
    start_rows: Labels | LabelsById | None = Field(
        None, description='Labels to start from, with `start` = "given": in the order of the table, or with ids.'
    )
    start_columns: Labels | LabelsById | None = Field(None, description="As start_rows, of the columns.")
    row_factors: Factors | FactorsById | None = Field(
        None,
        description='What counts are compared with, with `exposure` = "given": how much was looked at in each row. In '
        "the order of the table, or with ids. Null: 1.",
    )
    column_factors: Factors | FactorsById | None = Field(None, description="As row_factors, of the columns.")
    row_covariates: CovariatesGiven | None = Field(
        None, description='What responses depend on, with `cells` = "responses": of each row.'
    )
    column_covariates: CovariatesGiven | None = Field(None, description="As row_covariates, of the columns.")
    options: RunOptions | None = Field(
        None,
        description="Options of the sampler; those that are left out keep their defaults, or what the other run had.",
    )


class NewRun(RunChanges):
    """What to run."""

    dataset: Id = Field(description="Id of the dataset.")


class DatasetOfRun(BaseModel):
    """What a run needs to say of its dataset."""

    id: str = Field(description="Of the dataset.")
    name: str = Field(description="Of the dataset.")
    state: str = Field(description="UPLOADED, READY or FAILED.")
    rows: int | None = Field(description="Of the table; null until it was read.")
    columns: int | None = Field(description="Of the table; null until it was read.")
    dimension: int | None = Field(description="Numbers in a cell; null until the table was read.")


class Progress(BaseModel):
    """Iterations of all chains together."""

    done: int = Field(description="Iterations that are done.")
    total: int = Field(description="Iterations in all.")


AxisState = Literal["settled", "short", "stuck", "undefined"]


class VerdictAnswer(BaseModel):
    """Whether the chains of a run give one answer."""

    kind: Literal["settled", "short", "stuck", "undefined", "one_chain", "no_draws"] = Field(
        description="short: the chains overlap, and longer ones may settle. stuck: each stays with an answer of its "
        "own, and the one with the highest mean log joint is reported. one_chain: nothing is known of other starts. "
        "no_draws: a last state, of which nothing can be judged."
    )
    chains: int = Field(description="How many there are.")
    rows: AxisState = Field(description="Of the row clusters.")
    columns: AxisState = Field(description="Of the column clusters.")
    log_joint: AxisState = Field(description="Of the log joint.")
    r_hat: float | None = Field(description="The largest finite one of the axes that are not settled.")
    ari: float | None = Field(description="The smallest adjusted Rand index between two chains, of these axes.")


class RunAnswer(BaseModel):
    """A run."""

    id: str = Field(description="Of the run.")
    name: str = Field(description="Of the run; several may have the same.")
    dataset: DatasetOfRun = Field(description="The table that it is of.")
    state: State = Field(description="Where it stands.")
    stage: str = Field(description="What is being done: reading, sharding, sampling, finishing; or the state.")
    allowed_actions: list[Action] = Field(description="What the one who asks may do with it now.")
    progress: Progress = Field(description="How far it has come.")
    row_clusters: int | None = Field(
        description="Of what a finished run reports; until then of the first chain, after its last iteration."
    )
    column_clusters: int | None = Field(description="Likewise.")
    log_joint: float | None = Field(description="Likewise.")
    verdict: VerdictAnswer | None = Field(description="Of a finished run; null where an earlier version finished it.")
    options: dict[str, Any] = Field(description="Options of the sampler, all of them.")
    shards: int | None = Field(description="Known once it runs.")
    shards_wanted: int | Literal["auto"] = Field(description="As it was asked for.")
    axis: str = Field(description="What the shards are of, as it was asked for.")
    transform: str = Field(description="Of the cells, before the fit.")
    error: str | None = Field(description="Why it failed.")
    fault: Noted | None = Field(description="The error, with the options that it names.")
    created_at: datetime = Field(description="When it was submitted.")
    started_at: datetime | None = Field(description="When its first iteration could begin.")
    finished_at: datetime | None = Field(description="When it ended.")
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

    items: list[RunAnswer] = Field(description="The runs of this page.")
    next: str | None = Field(description="Cursor of the next page; null at the end.")


class RunsQuery(PageQuery):
    """Which runs."""

    state: Annotated[
        str | None,
        Field(description="One state or several, joined by commas.", pattern=_STATES, max_length=100),
    ] = None
    search: Plain = Field("", description="A part of the name, or the beginning of the id.")
    dataset: Id | None = Field(None, description="Runs of this dataset only.")
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

    reason: Plain = Field("", description="In words, for the events of the run.")


class StreamTrace(BaseModel):
    """The trace of a chain, or of a short one that a chain starts from the best of; arrays of one length."""

    stream: int = Field(description="Its number.")
    chain: int = Field(description="The chain that it is, or that starts from it.")
    short: int | None = Field(description="Number of a short chain; null: it is the chain itself.")
    iteration: list[int] = Field(description="Numbers of the iterations, from 1 on.")
    log_joint: list[float | None] = Field(description="Of each iteration.")
    row_clusters: list[int] = Field(description="Of each iteration.")
    column_clusters: list[int] = Field(description="Of each iteration.")
    alpha: list[float] = Field(description="Concentration of rows in each iteration.")
    beta: list[float] = Field(description="Concentration of columns in each iteration.")
    seconds: list[float] = Field(description="That each iteration took.")


class TraceAnswer(BaseModel):
    """Traces of all chains, or of one."""

    streams: list[StreamTrace] = Field(description="One for each chain, and for each short chain.")


class TraceQuery(Query):
    """Which part of the trace."""

    stream: Annotated[Count | None, Field(description="Of one stream only.")] = None
    after: Annotated[Count, Field(description="Iterations after this one.", le=2**31 - 1)] = 0


class ShardTiming(BaseModel):
    """What a shard took."""

    shard: int = Field(description="Its number.")
    worker: str = Field(description="Who did it.")
    waited: float = Field(description="Seconds before a worker took it.")
    seconds: float = Field(description="That the sweep took.")
    source: str = Field(description="Where the worker had the shard from.")
    redelivered: int = Field(description="How often it was sent again.")


class IterationTimeline(BaseModel):
    """An iteration and its shards."""

    stream: int = Field(description="The chain that it is of.")
    iteration: int = Field(description="Its number.")
    seconds: float = Field(description="That it took in all.")
    shards: list[ShardTiming] = Field(description="One for each shard.")

    @classmethod
    def of(cls, done: IterationRecord) -> IterationTimeline:
        """The timeline of an iteration."""
        shards = [ShardTiming.model_validate(shard) for shard in done.shards]
        return cls(stream=done.stream, iteration=done.iteration, seconds=done.row.seconds, shards=shards)


class Timeline(BaseModel):
    """Iterations of a stream, in their order."""

    items: list[IterationTimeline] = Field(description="The iterations, in their order.")


class TimelineQuery(Query):
    """Which iterations; the last ones by default."""

    stream: Count = Field(0, description="Of which chain.")
    after: Annotated[Count | None, Field(description="Iterations after this one.", le=2**31 - 1)] = None
    limit: Annotated[int, Field(ge=1, le=1000, description="Most iterations of an answer.")] = 100


class ActivityAnswer(BaseModel):
    """What workers of a cluster do for a run at this moment; nothing where this process does the runs itself."""

    embedded: bool = Field(description="Whether this process does the runs itself.")
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
