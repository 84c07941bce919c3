"""Tests of readers state notes and errors as the command line says them."""

from __future__ import annotations

import pytest

from disnplbm.cli.flags import flag
from disnplbm.notes import Hint


@pytest.fixture(autouse=True)
def _flags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Hint, "__str__", flag)
