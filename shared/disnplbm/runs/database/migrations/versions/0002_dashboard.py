"""Tables of the API: uploads in parts, tokens and sessions, idempotency keys; and runs and ledger by age."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make them."""
    op.create_index("ix_runs_created_at_id", "runs", ["created_at", "id"])
    op.create_index("ix_ledger_received_at", "ledger", ["received_at"])
    op.create_table(
        "partial_uploads",
        _text("id"),
        _text("name"),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        _text("sha256", nullable=True),
        sa.Column("reading", sa.JSON(), nullable=False),
        _text("actor"),
        _time("created_at"),
        _time("touched_at"),
        sa.Column("assembling", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_partial_uploads"),
    )
    op.create_table(
        "tokens",
        _text("name"),
        _text("digest"),
        _text("scope"),
        _time("created_at"),
        _time("expires_at", nullable=True),
        _time("revoked_at", nullable=True),
        sa.PrimaryKeyConstraint("name", name="pk_tokens"),
        sa.UniqueConstraint("digest", name="uq_tokens_digest"),
    )
    op.create_table(
        "sessions",
        _text("digest"),
        _text("token"),
        _time("expires_at"),
        sa.ForeignKeyConstraint(["token"], ["tokens.name"], name="fk_sessions_tokens", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("digest", name="pk_sessions"),
    )
    op.create_table(
        "idempotency_keys",
        _text("actor"),
        _text("key"),
        _text("request"),
        _text("subject"),
        _time("created_at"),
        sa.PrimaryKeyConstraint("actor", "key", name="pk_idempotency_keys"),
    )


def _text(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.Text(), nullable=nullable)


def _time(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)
