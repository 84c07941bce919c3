"""Which messages a member takes. Anybody who reaches the broker may put anything there.

So the envelope is checked first. A body is unpacked only once its size and its signature are right. Celery sees only
the headers that our own tasks have: others make it wait for years, publish messages, or end.
"""

from __future__ import annotations

from typing import Any

from kombu import compression
from kombu.exceptions import DecodeError
from kombu.message import Message
from kombu.serialization import registry

from disnplbm.errors import RunError
from disnplbm.messaging.queues import COLUMN_STEP_TASK, MASTER, TASKS
from disnplbm.messaging.signing import Signer
from disnplbm.sampler.packing import pack, unpack
from disnplbm.settings import Settings

#: Content type of what travels, and kombu's name of it.
CONTENT = "application/x-disnplbm"

#: Bytes that a message may have beyond those that travel inline: names, options, the callback of a chord.
ENVELOPE_BYTES = 64 * 2**10

#: Characters of a task's id.
_MOST_ID = 255

#: Starts that Celery may have counted of a task.
_MOST_RETRIES = 10_000

#: What Celery would publish besides.
_CALLBACKS = frozenset({"link", "link_error", "chord"})

#: Headers that our tasks have, with nothing in them.
_EMPTY_HEADERS = ("eta", "expires", "shadow", "stamps", "stamped_headers", "replaced_task_nesting")


class Admission:
    """Checks messages, and encodes them."""

    def __init__(self, settings: Settings) -> None:
        self._signer = Signer(settings.message_keys)
        self._most_bytes = settings.inline_bytes + ENVELOPE_BYTES
        # Celery writes the limit down where it publishes a task again whose process was lost.
        self._limits = (None, [None, None], [settings.task_seconds, None])
        # kombu unpacks what is compressed before it asks anybody; nothing of ours is.
        for method in compression.encoders():
            compression.register(_refuse_compressed, _refuse_compressed, method)

    def register(self) -> None:
        """Have kombu encode and decode the tasks of this process with it."""
        registry.register(CONTENT, self.pack, self.unpack, content_type=CONTENT, content_encoding="binary")

    def sign(self, data: bytes, content: bytes | None = None) -> bytes:
        """Sign a packed message, most of which may be a content; RunError if it is too large to be taken."""
        message = self._signer.sign(data, content or b"")
        self._check_size(message)
        return message

    def pack(self, value: Any) -> bytes:
        """A message as it travels."""
        return self.sign(pack(value), _content(value))

    def verify(self, body: Any) -> memoryview:
        """Return what :meth:`sign` was given; RunError if a message is too large, or not signed."""
        if not isinstance(body, bytes | memoryview):
            raise RunError("a message is text: it comes from another program")
        self._check_size(body)
        return self._signer.verify(body)

    def _check_size(self, body: bytes | memoryview) -> None:
        if len(body) > self._most_bytes:
            raise RunError(
                f"a message has {len(body)} bytes, and may have {self._most_bytes}: set"
                " DISNPLBM_INLINE_BYTES to the same for all masters and workers, or to more"
            )

    def unpack(self, body: Any) -> Any:
        """What :meth:`pack` was given; RunError if a message is too large, not signed, or damaged."""
        return unpack(self.verify(body))

    def result(self, message: Message) -> memoryview:
        """The bytes that a worker packed; RunError if they must not be taken."""
        _check_compression(message)
        return self.verify(message.body)

    def _may_have(self, header: str, value: Any) -> bool:
        """Whether our own tasks may have a header like this."""
        # A limit of its own would have a task fail that takes no longer than it may.
        return value in self._limits if header == "timelimit" else _is_ours(header, value)

    def task(self, message: Message) -> tuple[str, list[Any]]:
        """The name and the arguments of a task; RunError if it must not be taken."""
        _check_compression(message)
        headers = message.headers
        name = headers.get("task")
        if not isinstance(name, str) or name not in TASKS:
            raise RunError(f"a message asks for {name!r:.80}, which is no task of this version")
        if message.content_type != CONTENT:
            raise RunError(f"a message of {name} is of the type {message.content_type!r:.80}: it is of another version")
        if wrong := sorted(header for header in headers if not self._may_have(header, headers[header])):
            raise RunError(f"a message of {name} has the header {wrong[0]!r:.80} of another kind")
        if not isinstance(headers.get("id"), str):
            raise RunError(f"a message of {name} has no id")
        try:
            # Unpacked once: Celery takes it from there.
            body = message.payload
        except DecodeError as error:
            raise RunError(str(error)) from error
        return name, _arguments(name, body)


def _content(value: Any) -> bytes | None:
    """What all shards are told, of a task to sweep; None of anything else."""
    match value:
        case [[{"body": bytes() as body}], *_]:
            return body
    return None


def _refuse_compressed(_data: Any) -> bytes:
    raise RunError("a compressed message is refused: no master or worker sends one")


def _check_compression(message: Message) -> None:
    if message.headers.get("compression"):
        _refuse_compressed(message.body)


def _is_ours(header: str, value: Any) -> bool:
    """Whether our own tasks may have a header like this. Those in x- are the broker's, and Celery ignores them."""
    if header in _EMPTY_HEADERS:
        return not value
    if header in ("id", "root_id", "parent_id", "group"):
        return value is None or (isinstance(value, str) and len(value) <= _MOST_ID)
    if header in ("retries", "x-delivery-count"):
        return type(value) is int and 0 <= value <= _MOST_RETRIES
    if header == "group_index":
        return value is None or (type(value) is int and 0 <= value < 2**31)
    if header in ("argsrepr", "kwargsrepr", "origin", "lang"):
        return isinstance(value, str)
    if header == "ignore_result":
        return value is None or type(value) is bool
    return header == "task" or header.startswith("x-") or header == "compression"


def _arguments(name: str, body: Any) -> list[Any]:
    """The arguments in a task's body, which may ask Celery for a chord and for nothing else."""
    match body:
        case [list() as arguments, dict() as keywords, {"callbacks": None, "errbacks": None, "chain": None, **rest}]:
            if not keywords and _is_callback(rest.get("chord")):
                return list(arguments)
    raise RunError(f"a message of {name} is damaged: it is not one task")


def _is_callback(chord: Any) -> bool:
    """Whether what Celery is to publish once all parts are done is the column step, or nothing."""
    match chord:
        case None:
            return True
        case {"task": task, "options": {"queue": queue, **options}}:
            return (task, queue) == (COLUMN_STEP_TASK, MASTER.name) and not options.keys() & _CALLBACKS
    return False
