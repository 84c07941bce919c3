"""Whether the chains of a run agree, on its row; empty for runs that ended before."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it."""
    op.add_column("runs", sa.Column("verdict", sa.JSON(), nullable=True))
