"""Seals of the files of finished runs; runs that ended before have none."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add their column."""
    op.add_column("runs", sa.Column("result_seals", sa.JSON(), nullable=True))
