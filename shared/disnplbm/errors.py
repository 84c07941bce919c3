"""Errors that a user can act on: one line that says what is wrong, where, and how to mend it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from disnplbm.notes import Hint, Naming, Note, joined


class DisnplbmError(Exception):
    """Root of the errors this package raises on purpose.

    Parameters
    ----------
    *parts, kind
        What it says, as a :class:`disnplbm.notes.Note`.

    Attributes
    ----------
    naming : callable
        How its text names options.
    """

    naming: Naming = staticmethod(str)

    def __init__(self, *parts: str | Hint, kind: str = "") -> None:
        self.note = Note(*parts, kind=kind)
        super().__init__(self.note)

    def __str__(self) -> str:
        return self.note.said(self.naming)


class InputError(DisnplbmError, ValueError):
    """The caller's input, option or file is wrong; nothing was changed. The command line exits with 2."""


class HowToRead(Protocol):
    """What :class:`disnplbm.data.reading.Reading` says of itself."""

    def hints(self) -> Sequence[Hint]:
        """The options that it sets."""
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
        self.problem, self.reading = problem, reading
        super().__init__(problem, "; read it with ", joined(" ", reading.hints()), kind="options")


class RunError(DisnplbmError, RuntimeError):
    """Something failed while running (a full disk, an unreadable object). The command line exits with 1."""


class Away(RunError):
    """A server cannot be reached, or cannot do now what it is for: what was asked of it is asked again later."""


#: The options that make a prior less extreme, for a note.
PRIOR = (Hint("kappa0"), ", ", Hint("psi0_factor"), ", ", Hint("prior_scale"))


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
            " cells for extreme values (",
            Hint("transform", "standardize"),
            " helps), or take a less extreme prior (",
            *PRIOR,
            ")",
            kind="weights",
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
        return error.note.in_one_line()
    if isinstance(error, MemoryError):
        return "this needs more memory than there is: use more shards, or a machine with more memory"
    return f"internal error ({type(error).__name__}): the log has the details; please report it"


def unexpected(error: Exception) -> Exception | None:
    """The error, to log its traceback, where the fault may be ours; None where it says what is wrong."""
    return None if isinstance(error, DisnplbmError) else error
