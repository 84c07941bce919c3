"""Hosts and ports, as addresses have them."""

from __future__ import annotations


def host_and_port(host: str, port: int) -> str:
    """A host and a port for people and in URLs; an IPv6 address stands in brackets.

    >>> host_and_port("127.0.0.1", 8000), host_and_port("::1", 8000)
    ('127.0.0.1:8000', '[::1]:8000')
    """
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
