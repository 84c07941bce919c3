"""Seals of what results are computed from, and the processes that died at a run; what was made before has neither."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add their columns, and the table of the seals of shards."""
    op.add_column("datasets", sa.Column("seal", sa.Text(), nullable=True))
    op.add_column("draws", sa.Column("seal", sa.Text(), nullable=True))
    op.add_column("runs", sa.Column("request_seal", sa.Text(), nullable=True))
    op.add_column("runs", sa.Column("shards_seal", sa.Text(), nullable=True))
    op.add_column("runs", sa.Column("starts", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("runs", sa.Column("died_at", sa.Text(), nullable=True))
    op.create_table(
        "shard_sets",
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("dataset_id", sa.Text(), nullable=False),
        sa.Column("seal", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["datasets.id"], name="fk_shard_sets_datasets", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("prefix", name="pk_shard_sets"),
    )
