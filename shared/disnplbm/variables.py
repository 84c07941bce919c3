"""Names of the environment variables that begin with ``DISNPLBM_``."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from difflib import get_close_matches

from disnplbm.errors import InputError

PREFIX = "DISNPLBM_"

OF_COMMANDS = ("DISNPLBM_DEBUG", "DISNPLBM_SERVER", "DISNPLBM_TOKEN")
"""Those that commands read themselves; all others are settings."""

# What Kubernetes sets in every container for a service of that name.
_SERVICE_LINK = re.compile(r"DISNPLBM_(\w+_)?(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?)")

#: How alike two names are, from 0 to 1, where one is taken for the other misspelt.
_ALIKE, _VERY_ALIKE = 0.6, 0.75


def refuse_unknown(settings: Iterable[str]) -> None:
    """Refuse a variable that nothing reads.

    Parameters
    ----------
    settings : iterable of str
        Names of all settings.

    Raises
    ------
    InputError
        With the name that may be meant.
    """
    known = (*settings, *OF_COMMANDS)
    for name in _given():
        if name not in known and not _SERVICE_LINK.fullmatch(name):
            raise InputError(f"{name} is not a setting{_hint(name, known, _ALIKE)}; docs/settings.md lists all of them")


def whole_number(name: str, default: int) -> int:
    """The value of a setting of which commands know too that have no other settings.

    Parameters
    ----------
    name : str
        Without what all settings begin with.
    default : int
        Where the variable is not set, or blank.

    Raises
    ------
    InputError
        It is no whole number above 0.
    """
    text = os.environ.get(PREFIX + name, "").strip() or str(default)
    if not (text.isdecimal() and int(text) > 0):
        raise InputError(f"{PREFIX}{name} must be a whole number above 0")
    return int(text)


def refuse_misspelt() -> None:
    """Refuse a variable that looks like one of :data:`OF_COMMANDS` and is none, where settings are not looked at."""
    for name in _given():
        hint = "" if name in OF_COMMANDS else _hint(name, OF_COMMANDS, _VERY_ALIKE)
        if hint:
            raise InputError(f"{name} is not read by anything{hint}")


def _given() -> list[str]:
    return sorted(name.upper() for name in os.environ if name.upper().startswith(PREFIX))


def _hint(name: str, known: Iterable[str], alike: float) -> str:
    # Without what they all begin with, which would make any two alike.
    endings = {other.removeprefix(PREFIX): other for other in known}
    meant = get_close_matches(name.removeprefix(PREFIX), endings, n=1, cutoff=alike)
    return f" (did you mean {endings[meant[0]]}?)" if meant else ""
