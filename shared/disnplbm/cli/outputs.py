"""Folders that a command writes a few files into, and which may hold files of an earlier call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from disnplbm.errors import InputError
from disnplbm.notes import Hint


def check_target(folder: Path, names: Sequence[str], header: str) -> None:
    """Refuse a folder that cannot take files of these names, or has others of the same names.

    Parameters
    ----------
    names : sequence of str
        In the order in which they are written.
    header : str
        What the first one begins with, if an earlier call wrote it.

    Raises
    ------
    InputError
        It is a file, or a file in it is not of an earlier call.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder} is a file; choose another folder with ", Hint("output"))
    held = [folder / name for name in names if (folder / name).exists()]
    if held and not _starts_with(folder / names[0], header):
        raise InputError(f"{held[0]} is not of this command, so it stays; choose another folder with ", Hint("output"))


def make_target(folder: Path, names: Sequence[str]) -> None:
    """Make the folder, without the files of an earlier call: what is killed then leaves no mixture of the two."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in reversed(names):
        (folder / name).unlink(missing_ok=True)


def _starts_with(path: Path, header: str) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(header.encode())) == header.encode()
    except OSError:
        return False
