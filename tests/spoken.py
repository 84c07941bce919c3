"""Errors as the command line says them."""

from __future__ import annotations

from collections.abc import Iterable

from disnplbm.cli.flags import words
from disnplbm.errors import OptionsNeeded
from disnplbm.notes import Hint


def typed(hints: Iterable[Hint]) -> tuple[str, ...]:
    """What to type for some options."""
    return tuple(word for hint in hints for word in words(hint))


def typed_for(error: OptionsNeeded) -> tuple[str, ...]:
    """What to type so that a file can be read."""
    return typed(error.reading.hints())
