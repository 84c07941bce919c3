"""What a worker counts.

The pool's child does the work and its parent serves the figures, so they pass through files in a folder, which
PROMETHEUS_MULTIPROC_DIR must name before this module is imported.
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.multiprocess import MultiProcessCollector

from disnplbm.messaging.metrics import serve_metrics
from disnplbm.settings import Settings

_SECONDS = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)

SWEEPS = Counter("disnplbm_worker_sweeps", "Shards swept.")
SWEEP_SECONDS = Histogram(
    "disnplbm_worker_sweep_seconds", "From the start of a task to the end of its sweep.", buckets=_SECONDS
)
WAIT_SECONDS = Histogram(
    "disnplbm_worker_wait_seconds", "From the publication of a task to its start.", buckets=_SECONDS
)
STALE = Counter("disnplbm_worker_stale", "Tasks dropped because nobody waits for them any more.")
REDELIVERED = Counter("disnplbm_worker_redelivered", "Tasks that had been started before.")
FAILURES = Counter("disnplbm_worker_failures", "Tasks that ended in an error.", ["task"])
SHARD_READS = Counter("disnplbm_worker_shard_reads", "Shards by where they were found.", ["source"])
STORE_BYTES = Counter("disnplbm_worker_shard_bytes", "Bytes of shards fetched from the object storage.")
COPY_FAILURES = Counter("disnplbm_worker_copy_failures", "Copies on disk that could not be written, or were damaged.")


def serve(settings: Settings) -> None:
    """Serve the figures of this process and its children, if the settings name a port; RunError if it is taken."""
    if not settings.metrics_port:
        # Then there is no such folder either.
        return
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    serve_metrics(settings, registry)
