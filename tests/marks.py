"""Parameters that `make test-all` runs and `make test` leaves out."""

from __future__ import annotations

from typing import Any

import pytest


def long(*values: object, id: str | None = None) -> Any:
    """A set of parameters whose case takes long beside what it adds to the others of its test."""
    return pytest.param(*values, id=id, marks=pytest.mark.long)
