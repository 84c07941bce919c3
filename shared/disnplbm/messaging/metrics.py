"""The port that a service's figures are served on, for Prometheus."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, start_http_server

from disnplbm.errors import RunError
from disnplbm.hosts import host_and_port
from disnplbm.settings import Settings


def serve_metrics(settings: Settings, registry: CollectorRegistry) -> None:
    """Serve the figures of a registry, if the settings name a port.

    Raises
    ------
    RunError
        The port is taken.
    """
    if not settings.metrics_port:
        return
    host, port = settings.metrics_host.removeprefix("[").removesuffix("]"), settings.metrics_port
    try:
        start_http_server(port, host, registry)
    except OSError as error:
        raise RunError(
            f"cannot serve metrics on {host_and_port(host, port)}: {error.strerror};"
            " set DISNPLBM_METRICS_PORT to another"
        ) from error
