"""Log lines of the services: one format for our own lines and for lines of libraries, and no secret in any."""

from __future__ import annotations

import logging
import re
import sys

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from disnplbm.settings import Settings

#: Libraries that say something of every task, or every request.
_CHATTY = ("alembic", "amqp", "celery.app.trace", "celery.worker.strategy", "kombu", "urllib3")

_PASSWORD = re.compile(r"(://[^\s:/@]*):[^\s/]+@")

#: Where Redis takes one, too.
_PARAMETER = re.compile(r"([?&]password=)[^\s&]+")


def configure_logging(settings: Settings) -> None:
    """Send everything that is logged to standard error, as the settings have it.

    What is bound by ``structlog.contextvars`` is in every line, whoever wrote it.
    """
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        _Formatter(
            foreign_pre_chain=shared,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                _one_line,
                structlog.processors.JSONRenderer(default=repr, ensure_ascii=False)
                if settings.log_format == "json"
                else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty()),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    level = settings.log_level.upper()
    root.setLevel(level)
    for name in _CHATTY:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )


def mask_passwords(text: str) -> str:
    """Replace the passwords in the URLs of a text.

    >>> mask_passwords("Cannot connect to amqp://guest:secret@broker:5672//")
    'Cannot connect to amqp://guest:**@broker:5672//'
    """
    return _PARAMETER.sub(r"\1**", _PASSWORD.sub(r"\1:**@", text))


def _one_line(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    event["event"] = " ".join(str(event["event"]).split())
    return event


class _Formatter(structlog.stdlib.ProcessorFormatter):
    """Blots out passwords last, wherever in a line they came from."""

    def format(self, record: logging.LogRecord) -> str:
        return mask_passwords(super().format(record))
