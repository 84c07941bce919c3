"""Run by alembic: migrates on the connection that :mod:`disnplbm.runs.database.migrate` gives it."""

from __future__ import annotations

from alembic import context

from disnplbm.runs.database.models import Base

context.configure(connection=context.config.attributes["connection"], target_metadata=Base.metadata)

with context.begin_transaction():
    context.run_migrations()
