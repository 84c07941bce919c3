"""Spans of time as people give them: 12h, 90d, 4w."""

from __future__ import annotations

import re
from datetime import timedelta

from disnplbm.errors import InputError

_LIFETIME = re.compile(r"([1-9]\d{0,4})([hdw])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


def parse_lifetime(text: str) -> timedelta:
    """90d, 12h or 4w; InputError for anything else."""
    found = _LIFETIME.fullmatch(text)
    if found is None:
        raise InputError(f"{text!r} is no span of time: give hours, days or weeks, such as 12h, 90d or 4w")
    return int(found[1]) * _UNITS[found[2]]
