"""What came out of runs."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from disnplbm_dashboard.schemas.common import Query


class Artifact(BaseModel):
    """A file of a finished run."""

    name: str = Field(description="Of the file.")
    bytes: int = Field(description="Its length.")
    media_type: str = Field(description="What kind of file it is.")


class Artifacts(BaseModel):
    """The files of a finished run."""

    items: list[Artifact] = Field(description="The files, by name.")


class DownloadQuery(Query):
    """How tables are written."""

    spreadsheet: Annotated[
        bool,
        Field(
            description="Whether a cell of a .csv that a spreadsheet would take for a formula (it begins with = + - @"
            " and is no number) gets an apostrophe before it. By default every name is exactly as it is."
        ),
    ] = False


class Tree(BaseModel):
    """How the clusters of an axis merge, two by two."""

    sizes: list[int] = Field(description="Members of each of the K clusters.")
    pairs: list[tuple[int, int]] = Field(
        description="Merge t joins these two nodes into node K + t; the first K nodes are the clusters."
    )
    heights: list[float] = Field(description="Of each merge: what the log joint has lost by then.")
    least: int = Field(description="Members that a branch of a cut has at least; smaller ones are set aside.")


class Numbers(BaseModel):
    """Numbers in base64, little endian: of single precision where it serves, else of double; NaN is not known."""

    floats: str | None = Field(None, description="In base64: numbers of 4 bytes, little endian.")
    doubles: str | None = Field(None, description="In base64: numbers of 8 bytes, little endian.")


class LevelBlocks(BaseModel):
    """What the blocks of the run say, row cluster by row cluster, to make the blocks of a level from."""

    cells: Numbers | None = Field(description="Observed cells of each; null: no cell is missing.")
    weights: Numbers | None = Field(
        description="What each weighs where figures of several are averaged: of counts, what is expected. Null: its"
        " observed cells."
    )
    tables: list[dict[str, Numbers]] = Field(
        description="Figures of each, by name, for each number of a cell or for the most common categories."
    )
    categories: list[int] | None = Field(description="The category of each table, where they are shares of several.")


class FirstLevel(BaseModel):
    """The level to show first."""

    rows: int = Field(description="Row clusters that are shown first.")
    columns: int = Field(description="Column clusters that are shown first.")
    sentence: str = Field(description="Why.")


class AxisCurves(BaseModel):
    """What is known of every level of an axis."""

    clusters: int = Field(description="How many are shown first.")
    fine: int = Field(description="Clusters of the run.")
    reason: Literal["fine", "losses", "agreement", "most stable", "asked", "most"] = Field(
        description="Why so many are shown first: all of the run; where the next merge costs many times as much; on"
        " which the chains agree, or agree most; so many were asked for, or more than there are."
    )
    figure: float | None = Field(description="The ratio, or the agreement, of that level.")
    levels: list[int] = Field(description="Numbers of clusters, from 2 to the most that the tree can be cut into.")
    lost: list[float] = Field(
        description="Of each level: how much lower its log joint is than with the clusters of the run, by the loss"
        " that the tree was grown by."
    )
    ratio: list[float] | None = Field(
        description="Of one chain: how many times as much each level loses with its next merge as the next finer one."
        " It ends before the last level."
    )
    agreement: list[float] | None = Field(
        description="Of several chains: mean adjusted Rand index between them at each level. It ends where the tree"
        " of one of them has no more branches."
    )
    confidence: list[float] | None = Field(
        description="Of a run that kept draws: the mean confidence of a label at each level."
    )
    cluster_confidence: list[list[float]] | None = Field(
        description="The same of each cluster of each level, by its label."
    )


class Curves(BaseModel):
    """What there is to choose a level by."""

    sentence: str = Field(description="Which level is shown first, and why.")
    rows: AxisCurves = Field(description="Of the rows.")
    columns: AxisCurves = Field(description="Of the columns.")


class Levels(BaseModel):
    """The trees of a run's clusters."""

    rows: Tree = Field(description="The tree of the row clusters.")
    columns: Tree = Field(description="The tree of the column clusters.")
    blocks: LevelBlocks | None = Field(description="Null: there are too many to send.")
    first: FirstLevel | None = Field(description="Null: the clusters of the run.")
    curves: Curves | None = Field(description="Null: an earlier version wrote the run.")


class LevelsAnswer(BaseModel):
    """The levels that a finished run can be looked at."""

    levels: Levels | None = Field(
        description="Null: an earlier version wrote the run, or it has too many clusters for a tree."
    )


class ExplanationQuery(Query):
    """Which clusters."""

    axis: Literal["rows", "columns"] = Field("rows", description="Whose clusters.")
    clusters: Annotated[
        int | None, Field(ge=1, le=2**31 - 1, description="Clusters of the level. By default as many as the run has.")
    ] = None


class Telling(BaseModel):
    """A column that sets a cluster of rows apart from all others, or a row that does it of columns."""

    name: str = Field(description="Of the column, or of the row.")
    log_bayes_factor: float = Field(description="Evidence for a distribution of its own, in nats.")
    own: list[float | None] = Field(description="Its figure in the cluster, of each component.")
    rest: list[float | None] = Field(description="Its figure in all other clusters together.")


class ClusterTold(BaseModel):
    """What makes a cluster."""

    cluster: int = Field(description="Its label at this level.")
    size: int = Field(description="Rows, or columns, that are in it.")
    told: str = Field(description="In words.")
    apart: int = Field(description="How many columns, or rows, set it apart; at most 5 % of them by chance.")
    named: list[Telling] = Field(description="The first of these, the most telling one first.")
    typical: list[str] = Field(description="Members that fit it best.")
    least_typical: list[str] = Field(description="Members that fit it worst, the worst first.")


class ExplanationAnswer(BaseModel):
    """What makes each cluster of an axis."""

    axis: Literal["rows", "columns"] = Field(description="Whose clusters.")
    figure: str = Field(description="What own and rest are: a mean, a rate or a share.")
    components: list[str] = Field(description="Of categories: what they are called.")
    clusters: list[ClusterTold] = Field(description="By their labels.")


class CompareQuery(Query):
    """Which runs."""

    runs: Annotated[
        str, Field(description="Two to ten ids, joined by commas.", pattern=r"^[0-9a-f]{4,12}(,[0-9a-f]{4,12}){1,9}$")
    ]


class ComparedRun(BaseModel):
    """A run that is compared."""

    id: str = Field(description="Of the run.")
    name: str = Field(description="Of the run.")
    row_clusters: int = Field(description="That it reports.")
    column_clusters: int = Field(description="That it reports.")
    log_joint: float | None = Field(description="Of what it reports.")


class Agreement(BaseModel):
    """How alike the partitions of an axis are, for each pair of runs."""

    ari: list[list[float]] = Field(description="Adjusted Rand index.")
    nmi: list[list[float]] = Field(description="Normalised mutual information.")


class Parameter(BaseModel):
    """A parameter that the runs do not agree in."""

    name: str = Field(description="Of the parameter.")
    values: list[Any] = Field(description="In the order of the runs.")


class Contingency(BaseModel):
    """Rows, or columns, by their clusters in the first two runs."""

    rows: list[list[int]] = Field(
        description="Rows in each pair of clusters: of the first run down, of the second across."
    )
    columns: list[list[int]] = Field(description="Columns in each pair of clusters, likewise.")


class Comparison(BaseModel):
    """Runs side by side."""

    runs: list[ComparedRun] = Field(description="The runs, in the order in which they were asked for.")
    rows: Agreement = Field(description="How alike their row clusters are.")
    columns: Agreement = Field(description="How alike their column clusters are.")
    parameters: list[Parameter] = Field(description="The parameters in which they differ.")
    contingency: Contingency = Field(description="The clusters of the first two runs against each other.")
