"""What is said of too little memory: more is needed than there is, however close the two are."""

from __future__ import annotations

import re

import pytest

from disnplbm.data.memory import GIB, MIB
from disnplbm.engine.residence import check_least, least_memory
from disnplbm.errors import InputError

_UNITS = {"MiB": MIB, "GiB": GIB}


@pytest.mark.parametrize("missing", [1, 10_000, 2 * MIB, 200 * MIB])
@pytest.mark.parametrize("shape", [(60, 12), (100_000, 90), (4_820_000, 90), (30_000_000, 20)])
def test_the_memory_that_is_needed_is_more_than_there_is(shape: tuple[int, int], missing: int) -> None:
    needed = least_memory(*shape)
    with pytest.raises(InputError, match=r"free some, or allow more with") as refused:
        check_least(needed - missing, *shape)
    said = re.search(r"need ([\d,.]+) (\w+) of memory, .* there are ([\d,.]+) (\w+):", str(refused.value))
    assert said is not None
    asked, there = (
        float(number.replace(",", "")) * _UNITS[unit] for number, unit in (said.group(1, 2), said.group(3, 4))
    )
    assert there <= needed - missing < needed <= asked
    # Whoever allows what the message asks for is not refused again.
    check_least(int(asked), *shape)


def test_small_sizes_are_whole_mebibytes() -> None:
    with pytest.raises(InputError, match=r"^60 x 12 cells need 301 MiB of memory, .* and there are 300 MiB: "):
        check_least(300 * MIB, 60, 12)
