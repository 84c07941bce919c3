"""Work that goes on beside."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from disnplbm.data.ahead import Beside, read_ahead


def test_items_come_in_order_and_the_next_one_is_made_while_one_is_in_use() -> None:
    made = [threading.Event() for _ in range(3)]

    def items() -> Iterator[int]:
        for number, event in enumerate(made):
            event.set()
            yield number

    for number in read_ahead(items()):
        assert number == 2 or made[number + 1].wait(60)


def test_what_goes_wrong_while_reading_is_raised_after_the_items_before() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ValueError("a bad row")

    seen = list[int]()
    with pytest.raises(ValueError, match="a bad row"):
        seen.extend(read_ahead(items()))
    assert list(read_ahead(iter([]))) == []
    coming = read_ahead(items())
    assert next(coming) == 1
    with pytest.raises(ValueError, match="a bad row"):
        next(coming)


def test_calls_keep_their_order_and_one_that_fails_is_told() -> None:
    done = list[int]()
    with Beside() as beside:
        for number in range(50):
            beside.call(done.append, number)
    assert done == list(range(50))

    def fail() -> None:
        raise ValueError("the disk is full")

    def run(*calls: Callable[[], object]) -> None:
        with Beside() as beside:
            for call in calls:
                beside.call(call)

    with pytest.raises(ValueError, match="the disk is full"):
        run(fail)
    with pytest.raises(ValueError, match="the disk is full"):
        run(fail, done.clear)
    assert len(done) == 50


def test_an_error_of_the_block_is_told_before_one_of_the_last_call() -> None:
    def run() -> None:
        with Beside() as beside:
            beside.call(int, "no number")
            raise KeyError("first")

    with pytest.raises(KeyError, match="first"):
        run()
