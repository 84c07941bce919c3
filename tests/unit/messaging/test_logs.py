"""Log lines: one format for all, one line each, what is bound in each, and no password in any."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from disnplbm.messaging.logs import configure_logging, mask_passwords
from disnplbm.settings import Settings


@pytest.fixture
def untouched() -> Iterator[None]:
    """Logging as it was, afterwards."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()


def emit() -> None:
    with structlog.contextvars.bound_contextvars(run="r7", shard=3):
        structlog.get_logger("ours").info("swept", url="redis://:s3cret@host:1/0")
        logging.getLogger("celery.worker").error("no amqp://guest:s3cret@%s\n again", "broker")
        error = ValueError("amqp://u:s3cret@h")
        structlog.get_logger("ours").error("failed", error=error, exc_info=error)


@pytest.mark.usefixtures("untouched")
def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(Settings(log_format="json"))
    emit()
    text = capsys.readouterr().err
    lines = [json.loads(line) for line in text.splitlines()]
    assert [(line["event"], line["level"], line["logger"]) for line in lines] == [
        ("swept", "info", "ours"),
        ("no amqp://guest:**@broker again", "error", "celery.worker"),
        ("failed", "error", "ours"),
    ]
    assert all((line["run"], line["shard"]) == ("r7", 3) for line in lines)
    assert lines[0]["url"] == "redis://:**@host:1/0"
    assert "ValueError: amqp://u:**@h" in lines[2]["exception"]
    assert "s3cret" not in text


@pytest.mark.usefixtures("untouched")
def test_console_and_level(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(Settings(log_format="console", log_level="error"))
    emit()
    text = capsys.readouterr().err
    assert "swept" not in text
    assert "no amqp://guest:**@broker again" in text
    assert "s3cret" not in text


@pytest.mark.parametrize(
    ("text", "blotted"),
    [
        ("postgresql+psycopg://me:p:w@db/x", "postgresql+psycopg://me:**@db/x"),
        ("amqp://me:p@ss:w@host:5//", "amqp://me:**@host:5//"),
        ("redis://host/0?password=p%40w&db=1 is away", "redis://host/0?password=**&db=1 is away"),
        ("http://host:80/a@b", "http://host:80/a@b"),
        ("amqp://host", "amqp://host"),
    ],
)
def test_passwords(text: str, blotted: str) -> None:
    assert mask_passwords(text) == blotted
