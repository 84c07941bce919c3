"""What a run reports, on its row; empty for runs that ended before."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add it."""
    op.add_column("runs", sa.Column("row_clusters", sa.Integer(), nullable=True))
    op.add_column("runs", sa.Column("column_clusters", sa.Integer(), nullable=True))
    op.add_column("runs", sa.Column("log_joint", sa.Double(), nullable=True))
