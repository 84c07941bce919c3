"""Prometheus metrics at ``/metrics``."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress

from apiflask import APIFlask
from flask import Response, g, request
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from disnplbm.errors import RunError
from disnplbm.runs.part import now
from disnplbm.runs.states import State
from disnplbm_dashboard.backend import Backend
from disnplbm_dashboard.security import METRICS


class _Runs(Collector):
    """What the database says, when it is asked."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def describe(self) -> list[Metric]:
        """Nothing beforehand: the database is not asked while an application is made."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Runs by state, shards to work on and how old they are, queues, clients of live streams."""
        runs = GaugeMetricFamily("disnplbm_runs", "Runs by state.", labels=["state"])
        found = self._backend.listing.states()
        for state in State:
            runs.add_metric([state.value], found.get(state.value, 0))
        yield runs
        wanted = sum(shards for _, shards in self._backend.listing.wanted())
        yield GaugeMetricFamily("disnplbm_shards_wanted", "Shards that can be worked on.", wanted)
        published = self._backend.listing.oldest_publication()
        age = 0.0 if published is None else max((now() - published).total_seconds(), 0.0)
        yield GaugeMetricFamily(
            "disnplbm_oldest_iteration_seconds", "Since the oldest iteration under way was published.", age
        )
        if self._backend.runner is None:
            yield from self._queues()
        clients = self._backend.tailer.clients
        yield GaugeMetricFamily("disnplbm_dashboard_stream_clients", "Clients of live streams.", clients)

    def _queues(self) -> Iterator[Metric]:
        """What the broker says; nothing while it is away."""
        waiting = GaugeMetricFamily("disnplbm_queue_messages", "Messages that nobody has.", labels=["queue"])
        consumers = GaugeMetricFamily("disnplbm_queue_consumers", "Who takes messages.", labels=["queue"])
        with suppress(RunError):
            for queue in self._backend.broker.queues():
                # Without the version, so that rules and charts need not know it.
                name = queue.name.removeprefix("disnplbm.").rpartition(".")[0]
                waiting.add_metric([name], queue.waiting or 0)
                consumers.add_metric([name], queue.consumers or 0)
        yield from (waiting, consumers)


def measure(app: APIFlask, backend: Backend) -> None:
    """Count the requests of an application, and serve the metrics."""
    registry = CollectorRegistry()
    registry.register(_Runs(backend))
    names = ("method", "endpoint")
    requests = Counter("disnplbm_dashboard_requests", "Requests by outcome.", (*names, "status"), registry=registry)
    seconds = Histogram(
        "disnplbm_dashboard_request_seconds", "From a request to the begin of its answer.", names, registry=registry
    )

    def begin() -> None:
        g.began = time.perf_counter()

    def count(response: Response) -> Response:
        endpoint = request.endpoint or "none"
        requests.labels(request.method, endpoint, response.status_code).inc()
        seconds.labels(request.method, endpoint).observe(time.perf_counter() - g.get("began", time.perf_counter()))
        return response

    @app.get(METRICS)
    @app.doc(hide=True)
    def metrics() -> Response:
        """For Prometheus."""
        return Response(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)

    # First, so that what is refused is counted too.
    app.before_request_funcs.setdefault(None, []).insert(0, begin)
    app.after_request(count)
