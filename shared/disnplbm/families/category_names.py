"""What categories are called: by their words, or by their numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

#: There are at most as many categories: a byte has room for one more, which is a missing cell.
MOST_CATEGORIES = 255

#: Categories that a message names.
MOST_NAMED = 10


def category_names(facts: Mapping[str, Any]) -> list[str]:
    """Names of the categories of a table, in their order.

    >>> category_names({"levels": [0.0, 2.5]}), category_names({"levels": [0.0, 1.0], "words": ["no", "yes"]})
    (['0', '2.5'], ['no', 'yes'])
    """
    words = facts.get("words")
    return [name_of(level, words) for level in facts["levels"]]


def component_names(cells: str, facts: Mapping[str, Any]) -> Sequence[str]:
    """What the components of a block's figure are called, where these are categories; of other cells, nothing.

    >>> component_names("categorical", {"levels": [0.0, 2.5]}), component_names("counts", {"mean": 1.5})
    (['0', '2.5'], ())
    """
    return category_names(facts) if cells == "categorical" else ()


def name_of(level: float, words: Sequence[str] | None) -> str:
    """The name of a category."""
    return f"{level:g}" if words is None else words[int(level)]


def listed(names: Sequence[str]) -> str:
    """Categories in words.

    >>> listed(["a", "b", "c"])
    'a, b or c'
    """
    *some, last = names
    if len(names) > MOST_NAMED:
        return f"{', '.join(some[: MOST_NAMED - 1])} and {len(names) - MOST_NAMED + 1} more"
    return f"{', '.join(some)} or {last}" if some else last
