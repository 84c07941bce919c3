"""Statistics and states as they are: PostgreSQL tries to compress long values, which takes long and saves little."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_PACKED = (("ledger", "payload"), ("chains", "state"), ("checkpoints", "state"))


def upgrade() -> None:
    """Have PostgreSQL store what comes from now on without a try; SQLite never compresses."""
    if op.get_bind().dialect.name == "postgresql":
        for table, column in _PACKED:
            op.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET STORAGE EXTERNAL")
