"""The tables. No object of these classes leaves :mod:`disnplbm.objects`: others get records."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    DateTime,
    Dialect,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Text,
    TypeDecorator,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from disnplbm.notes import from_lines, to_lines

#: Of events: what counts by itself in both databases.
_Counter = BigInteger().with_variant(Integer, "sqlite")

_Json = JSON(none_as_null=True)


class UtcTime(TypeDecorator[datetime]):
    """A moment, in UTC and aware of it in both databases; SQLite forgets the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy's signature
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - SQLAlchemy's signature
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class PlainText(TypeDecorator[str]):
    """Text; what no database takes, such as the bytes of a file's name that are no UTF-8, is written as escapes."""

    impl = Text()
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's signature
        return None if value is None else value.replace("\0", "\\0").encode(errors="backslashreplace").decode()


class Said(PlainText):
    """A text for people, with what it names as data (:mod:`disnplbm.notes`)."""

    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return super().process_bind_param(None if value is None else to_lines(value), dialect)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002 - SQLAlchemy's signature
        return None if value is None else from_lines(value)


class Base(DeclarativeBase):
    """What all tables share: plain types, and names for constraints so that migrations can find them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {  # noqa: RUF012 - SQLAlchemy's name
        str: PlainText(),
        float: Double(),
        bytes: LargeBinary(),
        datetime: UtcTime(),
        dict[str, Any]: _Json,
        list[str]: _Json,
        list[dict[str, Any]]: _Json,
    }


class Dataset(Base):
    """A file that was uploaded, and what is known of it once it was read."""

    __tablename__ = "datasets"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    path: Mapped[str]
    state: Mapped[str]
    upload_key: Mapped[str]
    upload_bytes: Mapped[int] = mapped_column(BigInteger)
    upload_sha256: Mapped[str]
    reading: Mapped[dict[str, Any]]
    prefix: Mapped[str]
    n: Mapped[int | None] = mapped_column(BigInteger)
    p: Mapped[int | None] = mapped_column(BigInteger)
    dimension: Mapped[int | None]
    sha256: Mapped[str | None]
    missing: Mapped[int | None] = mapped_column(BigInteger)
    error: Mapped[str | None] = mapped_column(Said)
    created_at: Mapped[datetime]
    seal: Mapped[str | None]


class ShardSet(Base):
    """Shards of a dataset, as the first run that had it cut so found them: every other run must find the same."""

    __tablename__ = "shard_sets"

    prefix: Mapped[str] = mapped_column(primary_key=True)
    dataset_id: Mapped[str] = mapped_column(ForeignKey("datasets.id", ondelete="CASCADE"))
    seal: Mapped[str]


class Run(Base):
    """A run: what was asked for and how it stands."""

    __tablename__ = "runs"
    __table_args__ = (Index(None, "created_at", "id"),)

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    dataset_id: Mapped[str] = mapped_column(ForeignKey("datasets.id"), index=True)
    state: Mapped[str] = mapped_column(index=True)
    epoch: Mapped[int]
    options: Mapped[dict[str, Any]]
    n_shards_wanted: Mapped[str]
    axis_wanted: Mapped[str]
    transform: Mapped[str]
    shards_prefix: Mapped[str | None]
    n_shards: Mapped[int | None]
    algorithm: Mapped[int]
    iterations_total: Mapped[int] = mapped_column(BigInteger)
    error: Mapped[str | None] = mapped_column(Said)
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    row_clusters: Mapped[int | None]
    column_clusters: Mapped[int | None]
    log_joint: Mapped[float | None]
    verdict: Mapped[dict[str, Any] | None]
    request_seal: Mapped[str | None]
    shards_seal: Mapped[str | None]
    result_seals: Mapped[dict[str, Any] | None]
    starts: Mapped[int] = mapped_column(server_default="0")
    died_at: Mapped[str | None]


class Chain(Base):
    """A stream of a run: a chain, or a short one that a chain starts from the best of."""

    __tablename__ = "chains"

    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    stream: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    chain: Mapped[int]
    short: Mapped[int | None]
    iterations: Mapped[int]
    iteration: Mapped[int]
    state: Mapped[bytes | None]
    state_key: Mapped[str | None]
    published_at: Mapped[datetime | None]
    ended: Mapped[bool]


def _of_chain() -> ForeignKeyConstraint:
    return ForeignKeyConstraint(["run_id", "stream"], ["chains.run_id", "chains.stream"], ondelete="CASCADE")


class _OfIteration:
    """Rows of one iteration of a stream."""

    run_id: Mapped[str] = mapped_column(primary_key=True, sort_order=-3)
    stream: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False, sort_order=-2)
    iteration: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, sort_order=-1)


class Iteration(_OfIteration, Base):
    """The trace."""

    __tablename__ = "iterations"
    __table_args__ = (_of_chain(),)

    log_joint: Mapped[float]
    row_clusters: Mapped[int]
    column_clusters: Mapped[int]
    alpha: Mapped[float]
    beta: Mapped[float]
    seconds: Mapped[float]
    shards: Mapped[list[dict[str, Any]]]


class Ledger(_OfIteration, Base):
    """Shards whose statistics arrived."""

    __tablename__ = "ledger"
    __table_args__ = (_of_chain(), Index(None, "received_at"))

    shard: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, sort_order=0)
    digest: Mapped[str]
    labels_key: Mapped[str]
    payload: Mapped[bytes | None]
    payload_key: Mapped[str | None]
    worker: Mapped[str]
    seconds: Mapped[float]
    waited: Mapped[float]
    source: Mapped[str]
    redelivered: Mapped[int]
    received_at: Mapped[datetime]


class Checkpoint(_OfIteration, Base):
    """What is needed to do an iteration."""

    __tablename__ = "checkpoints"
    __table_args__ = (_of_chain(),)

    state: Mapped[bytes | None]
    state_key: Mapped[str | None]
    labels: Mapped[list[str]]


class Draw(_OfIteration, Base):
    """States that were kept."""

    __tablename__ = "draws"
    __table_args__ = (_of_chain(),)

    key: Mapped[str]
    seal: Mapped[str | None]


class Failure(_OfIteration, Base):
    """Starts of a shard that ended in an error."""

    __tablename__ = "failures"
    __table_args__ = (_of_chain(),)

    shard: Mapped[int] = mapped_column(primary_key=True, autoincrement=False, sort_order=0)
    count: Mapped[int]
    reason: Mapped[str] = mapped_column(Said)


class Job(Base):
    """Work besides iterations: reading a dataset, sharding it for a run."""

    __tablename__ = "jobs"

    kind: Mapped[str] = mapped_column(primary_key=True)
    subject: Mapped[str] = mapped_column(primary_key=True)
    state: Mapped[str]
    published_at: Mapped[datetime | None]
    attempts: Mapped[int]
    error: Mapped[str | None] = mapped_column(Said)


class Event(Base):
    """What happened to a run or a dataset; outlives both."""

    __tablename__ = "events"

    id: Mapped[int] = mapped_column(_Counter, primary_key=True, autoincrement=True)
    at: Mapped[datetime]
    run_id: Mapped[str | None] = mapped_column(index=True)
    dataset_id: Mapped[str | None] = mapped_column(index=True)
    actor: Mapped[str]
    kind: Mapped[str]
    from_state: Mapped[str | None]
    to_state: Mapped[str | None]
    reason: Mapped[str] = mapped_column(Said)
    data: Mapped[dict[str, Any]]


class PartialUpload(Base):
    """A file that is being uploaded in parts; the dataset will have its id."""

    __tablename__ = "partial_uploads"

    id: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    bytes: Mapped[int] = mapped_column(BigInteger)
    sha256: Mapped[str | None]
    reading: Mapped[dict[str, Any]]
    actor: Mapped[str]
    created_at: Mapped[datetime]
    touched_at: Mapped[datetime]
    assembling: Mapped[bool]


class Token(Base):
    """Whoever has the secret that this is the digest of may use the API; revoked ones stay, so that names mean one."""

    __tablename__ = "tokens"

    name: Mapped[str] = mapped_column(primary_key=True)
    digest: Mapped[str] = mapped_column(unique=True)
    scope: Mapped[str]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class BrowserSession(Base):
    """A browser that showed a token, known by the digest of its cookie."""

    __tablename__ = "sessions"

    digest: Mapped[str] = mapped_column(primary_key=True)
    token: Mapped[str] = mapped_column(ForeignKey("tokens.name", ondelete="CASCADE"))
    expires_at: Mapped[datetime]


class IdempotencyKey(Base):
    """What a creation that may be sent twice made, or is about to make."""

    __tablename__ = "idempotency_keys"

    actor: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    request: Mapped[str]
    subject: Mapped[str]
    created_at: Mapped[datetime]
