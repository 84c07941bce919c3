"""What a person reads as the reason of a failure: one sentence, and never another library's text."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import IntegrityError

from disnplbm.errors import InputError, RunError, described

STATEMENT = "INSERT INTO iterations (log_joint) VALUES (?)"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (InputError("row 3 has no number"), "row 3 has no number"),
        (RunError("one\n two"), "one two"),
        (
            MemoryError("Unable to allocate 7 GiB"),
            "this needs more memory than there is: use more shards, or a machine with more memory",
        ),
        (
            IntegrityError(STATEMENT, {"log_joint": None}, Exception("NOT NULL constraint failed")),
            "internal error (IntegrityError): the log has the details; please report it",
        ),
        (ZeroDivisionError("x\ny"), "internal error (ZeroDivisionError): the log has the details; please report it"),
    ],
)
def test_a_reason_is_one_sentence(error: Exception, reason: str) -> None:
    assert described(error) == reason
