"""The first tables: datasets, runs, chains and what belongs to an iteration, jobs, events."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "datasets",
        _text("id"),
        _text("name"),
        _text("path"),
        _text("state"),
        _text("upload_key"),
        sa.Column("upload_bytes", sa.BigInteger(), nullable=False),
        _text("upload_sha256"),
        _json("reading"),
        _text("prefix"),
        sa.Column("n", sa.BigInteger()),
        sa.Column("p", sa.BigInteger()),
        sa.Column("dimension", sa.Integer()),
        _text("sha256", nullable=True),
        sa.Column("missing", sa.BigInteger()),
        _text("error", nullable=True),
        _time("created_at"),
        sa.PrimaryKeyConstraint("id", name="pk_datasets"),
    )
    op.create_table(
        "runs",
        _text("id"),
        _text("name"),
        _text("dataset_id"),
        _text("state"),
        _integer("epoch"),
        _json("options"),
        _text("n_shards_wanted"),
        _text("axis_wanted"),
        _text("transform"),
        _text("shards_prefix", nullable=True),
        sa.Column("n_shards", sa.Integer()),
        _integer("algorithm"),
        sa.Column("iterations_total", sa.BigInteger(), nullable=False),
        _text("error", nullable=True),
        _time("created_at"),
        _time("started_at", nullable=True),
        _time("finished_at", nullable=True),
        sa.ForeignKeyConstraint(["dataset_id"], ["datasets.id"], name="fk_runs_datasets"),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
    )
    op.create_index("ix_runs_dataset_id", "runs", ["dataset_id"])
    op.create_index("ix_runs_state", "runs", ["state"])
    op.create_table(
        "chains",
        _text("run_id"),
        sa.Column("stream", sa.BigInteger(), autoincrement=False, nullable=False),
        _integer("chain"),
        sa.Column("short", sa.Integer()),
        _integer("iterations"),
        _integer("iteration"),
        sa.Column("state", sa.LargeBinary()),
        _text("state_key", nullable=True),
        _time("published_at", nullable=True),
        sa.Column("ended", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name="fk_chains_runs", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("run_id", "stream", name="pk_chains"),
    )
    _of_iteration(
        "iterations",
        _double("log_joint"),
        _integer("row_clusters"),
        _integer("column_clusters"),
        _double("alpha"),
        _double("beta"),
        _double("seconds"),
        _json("shards"),
    )
    _of_iteration(
        "ledger",
        sa.Column("shard", sa.Integer(), autoincrement=False, nullable=False),
        _text("digest"),
        _text("labels_key"),
        sa.Column("payload", sa.LargeBinary()),
        _text("payload_key", nullable=True),
        _text("worker"),
        _double("seconds"),
        _double("waited"),
        _text("source"),
        _integer("redelivered"),
        _time("received_at"),
        keys=("shard",),
    )
    _of_iteration(
        "checkpoints", sa.Column("state", sa.LargeBinary()), _text("state_key", nullable=True), _json("labels")
    )
    _of_iteration("draws", _text("key"))
    _of_iteration(
        "failures",
        sa.Column("shard", sa.Integer(), autoincrement=False, nullable=False),
        _integer("count"),
        _text("reason"),
        keys=("shard",),
    )
    op.create_table(
        "jobs",
        _text("kind"),
        _text("subject"),
        _text("state"),
        _time("published_at", nullable=True),
        _integer("attempts"),
        _text("error", nullable=True),
        sa.PrimaryKeyConstraint("kind", "subject", name="pk_jobs"),
    )
    op.create_table(
        "events",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        _time("at"),
        _text("run_id", nullable=True),
        _text("dataset_id", nullable=True),
        _text("actor"),
        _text("kind"),
        _text("from_state", nullable=True),
        _text("to_state", nullable=True),
        _text("reason"),
        _json("data"),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
    )
    op.create_index("ix_events_run_id", "events", ["run_id"])
    op.create_index("ix_events_dataset_id", "events", ["dataset_id"])


def _of_iteration(table: str, *columns: sa.Column[Any], keys: tuple[str, ...] = ()) -> None:
    """A table of rows of one iteration of a stream."""
    op.create_table(
        table,
        _text("run_id"),
        sa.Column("stream", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("iteration", sa.Integer(), autoincrement=False, nullable=False),
        *columns,
        sa.ForeignKeyConstraint(
            ["run_id", "stream"], ["chains.run_id", "chains.stream"], name=f"fk_{table}_chains", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("run_id", "stream", "iteration", *keys, name=f"pk_{table}"),
    )


def _text(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _time(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _integer(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Integer(), nullable=False)


def _double(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.Double(), nullable=False)


def _json(name: str) -> sa.Column[Any]:
    return sa.Column(name, sa.JSON(), nullable=False)
