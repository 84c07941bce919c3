"""Messages at random, and messages of ours with something changed at random; a seed gives the same ones each time."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgpack

from disnplbm.messaging.admission import CONTENT

#: Content types, ours among them most often.
_TYPES = (CONTENT, CONTENT, CONTENT, CONTENT, "application/json", "application/x-msgpack", "text/plain", "")

#: Headers that Celery or kombu reads. Those that the broker reads, x-death, may end the connection of who sends them.
_HEADERS = (
    *("task", "id", "eta", "expires", "retries", "timelimit", "group", "group_index", "shadow", "root_id", "parent_id"),
    *("ignore_result", "stamps", "stamped_headers", "replaced_task_nesting", "argsrepr", "origin", "lang"),
    *("compression", "x-delivery-count", "chord", "callbacks"),
)


@dataclass(frozen=True)
class Sent:
    """A message: its body, headers and content type."""

    body: bytes
    headers: dict[str, Any]
    kind: str = CONTENT


class Fuzzer:
    """Makes messages.

    Parameters
    ----------
    seed : int
    templates : sequence of Sent
        Messages of ours.
    """

    def __init__(self, seed: int, templates: Sequence[Sent]) -> None:
        self._random = random.Random(seed)
        self._templates = templates

    def message(self) -> Sent:
        """The next one."""
        template = self._random.choice(self._templates)
        make: Callable[[Sent], Sent] = self._random.choice(
            [self._noise, self._spliced, *2 * [self._bytes_changed], *2 * [self._value_changed]]
        )
        sent = make(template)
        for _ in range(self._random.choice((0, 0, 1, 2))):
            sent = self._header_changed(sent)
        return sent

    def choice(self, options: Sequence[Any]) -> Any:
        """One of several."""
        return self._random.choice(options)

    def _noise(self, template: Sent) -> Sent:
        body = self._random.randbytes(self._random.choice((0, 1, 5, 60, 5_000)))
        return Sent(body, template.headers, self._random.choice(_TYPES))

    def _bytes_changed(self, template: Sent) -> Sent:
        body = bytearray(template.body)
        for _ in range(self._random.choice((1, 1, 3, 20))):
            at = self._random.randrange(len(body) + 1)
            what = self._random.randrange(4)
            if what == 0:
                body[at : at + 1] = self._random.randbytes(1)
            elif what == 1:
                body[at:at] = self._random.randbytes(self._random.randrange(9))
            elif what == 2:
                del body[at : at + self._random.randrange(9)]
            else:
                body = body[:at] if self._random.random() < 0.2 else body + body[at : at + 100]
        return Sent(bytes(body), template.headers)

    def _spliced(self, template: Sent) -> Sent:
        other = self._random.choice(self._templates)
        at = self._random.randrange(len(template.body) + 1)
        return Sent(template.body[:at] + other.body[at:], other.headers)

    def _value_changed(self, template: Sent) -> Sent:
        try:
            value = msgpack.unpackb(template.body, strict_map_key=False)
        except ValueError:
            # It is signed: there is nothing to read but bytes.
            return self._bytes_changed(template)
        try:
            return Sent(msgpack.packb(self._changed(value)), template.headers)
        except (ValueError, OverflowError):
            return self._noise(template)

    def _changed(self, value: Any) -> Any:
        """The value with one of its parts, however deep, another one."""
        parts = len(value) if isinstance(value, list | dict) else 0
        if not parts or self._random.random() < 0.2:
            return self._any(2)
        if isinstance(value, list):
            at = self._random.randrange(parts)
            return [*value[:at], self._changed(value[at]), *value[at + 1 :]]
        key = self._random.choice(list(value))
        return value | {key: self._changed(value[key])}

    def _header_changed(self, sent: Sent) -> Sent:
        name = self._random.choice(_HEADERS)
        headers = {key: value for key, value in sent.headers.items() if key != name}
        if self._random.random() < 0.8:
            headers[name] = self._plain(2)
        return Sent(sent.body, headers, sent.kind)

    def _any(self, depth: int) -> Any:
        """A value of any kind that msgpack knows."""
        if self._random.random() < 0.15:
            shape = [self._random.choice((0, 1, 3, -1, 2**31, 2**62)) for _ in range(self._random.randrange(4))]
            dtype = self._random.choice(("<f8", "<i8", "<i4", "|b1", "|O"))
            body = [dtype, shape, bytes(8 * self._random.randrange(4))]
            return msgpack.ExtType(self._random.choice((1, 1, 1, 2)), msgpack.packb(body))
        return self._plain(depth)

    def _plain(self, depth: int) -> Any:
        """A value that a header can have."""
        numbers = (0, 1, -1, 7, 2**31, 2**62, -(2**62), 0.5, 1e300, float("nan"), float("inf"))
        texts = ("", "a", "gzip", "disnplbm.sweep", "2999-01-01T00:00:00", "\0", "../..", "é" * 3000)
        options = [*numbers, *texts, True, False, None]
        if depth and self._random.random() < 0.3:
            inner = [self._plain(depth - 1) for _ in range(self._random.randrange(4))]
            return inner if self._random.random() < 0.5 else {f"k{at}": value for at, value in enumerate(inner)}
        return self._random.choice(options)
