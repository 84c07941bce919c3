"""Addresses of brokers, for people."""

from __future__ import annotations

from urllib.parse import quote

from kombu import Connection


def shown(connection: Connection) -> str:
    """The address of a broker without its password; an IPv6 address stands in brackets.

    >>> shown(Connection("amqp://ada:secret@[::1]:5672//"))
    'amqp://ada:**@[::1]:5672//'
    """
    host = str(connection.hostname)
    address = str(connection.as_uri())
    return address.replace(quote(host, safe=""), f"[{host}]", 1) if ":" in host else address
