"""Errors that a user can act on: one line that says what is wrong, where, and how to mend it."""

from __future__ import annotations

import shlex
from typing import Any, Protocol


class DisnplbmError(Exception):
    """Root of the errors this package raises on purpose."""


class InputError(DisnplbmError, ValueError):
    """The caller's input, option or file is at fault; nothing was changed. The command line exits with 2."""


class HowToRead(Protocol):
    """What :class:`disnplbm.data.reading.Reading` says of itself."""

    def words(self) -> list[str]:
        """Words of the command line."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        ...


class OptionsNeeded(InputError):
    """The file can be read, with other options.

    Parameters
    ----------
    problem : str
        What is wrong, and where.
    reading : Reading
        How to read the file.
    """

    def __init__(self, problem: str, reading: HowToRead) -> None:
        self.problem, self.reading, self.options = problem, reading, tuple(reading.words())
        super().__init__(f"{problem}; read it with {shlex.join(self.options)}")


class RunError(DisnplbmError, RuntimeError):
    """Something failed while running (a full disk, an unreadable object). The command line exits with 1."""


class Away(RunError):
    """A server cannot be reached, or cannot do now what it is for: what was asked of it is asked again later."""


class WeightError(RunError):
    """Log weights that nothing can be drawn by: one is NaN or infinite, or all are -inf.

    Parameters
    ----------
    item : int
        Position of the item among those at hand.
    name : str
        What the user calls it, where that is known.
    """

    def __init__(self, item: int, name: str = "an item") -> None:
        super().__init__(
            f"{name}: the log weights of its clusters are not finite numbers, so that none can be drawn; check its"
            " cells for extreme values (--transform standardize helps), or take a less extreme prior (kappa0,"
            " psi0_factor, prior_scale)"
        )
        self.item = item


class Interrupted(DisnplbmError):
    """The user or the system asked the work to stop, and what was done is kept. The command line exits with 130."""


class DataWarning(UserWarning):
    """What is odd about the data, or what was assumed about them: the notes of a fit from Python."""


def first_line(error: Exception) -> str:
    """What another library's error says in its first line, or its kind if it says nothing."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def described(error: Exception) -> str:
    """One sentence on an error, for people: the reason of a run that fails.

    The text of another library's error may be an SQL statement or a dump of values: it belongs into the log.
    """
    if isinstance(error, DisnplbmError):
        return " ".join(str(error).split())
    if isinstance(error, MemoryError):
        return "this needs more memory than there is: use more shards, or a machine with more memory"
    return f"internal error ({type(error).__name__}): the log has the details; please report it"


def unexpected(error: Exception) -> Exception | None:
    """The error, to log its traceback, where the fault may be ours; None where it says what is wrong."""
    return None if isinstance(error, DisnplbmError) else error
