"""Paths as people write them."""

from __future__ import annotations

from pathlib import Path

from disnplbm.errors import InputError


def at_home(path: Path) -> Path:
    """The path with ``~`` or ``~user`` at its beginning replaced by that home folder.

    Raises
    ------
    InputError
        There is no such user.
    """
    try:
        return path.expanduser()
    except RuntimeError:
        raise InputError(f"{path} begins with ~ and names no user's home: write the whole path, or ./{path}") from None
