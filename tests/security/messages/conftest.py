"""Fixtures of the tests of what is hostile."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kombu import Connection

from faults.reference import Reference, make_reference
from security.messages.outsider import Outsider
from services.rabbitmq import RabbitMQ


@pytest.fixture(scope="session")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Reference:
    """An undisturbed run."""
    return make_reference(tmp_path_factory.mktemp("reference"))


@pytest.fixture
def outsider(rabbitmq: RabbitMQ) -> Iterator[Outsider]:
    """Somebody who reaches the broker."""
    with Connection(rabbitmq.url) as connection:
        yield Outsider(connection)
