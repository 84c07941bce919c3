"""How many rows a statement changed: what a compare-and-set is judged by."""

from __future__ import annotations

from sqlalchemy import CursorResult
from sqlalchemy.orm import Session
from sqlalchemy.sql.dml import UpdateBase


def execute_counted(session: Session, statement: UpdateBase) -> int:
    """Execute an insert, an update or a delete, and return the number of rows that it made or found."""
    # Without the option an insert does not say.
    result = session.execute(statement, execution_options={"preserve_rowcount": True})
    assert isinstance(result, CursorResult)
    return result.rowcount
