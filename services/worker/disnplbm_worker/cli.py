"""``disnplbm worker``."""

from __future__ import annotations

import os
from contextlib import ExitStack

import click

from disnplbm.cli.interruption import interruption
from disnplbm.files import scratch_folder

#: One kernel thread a worker: more workers are how a machine is filled.
_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@click.command()
@click.option("--name", metavar="NAME", help="What to call this worker in logs and timings; by default HOST-PROCESS.")
def worker(name: str | None) -> None:
    """Sweep shards for runs on the cluster.

    It takes work from RabbitMQ, data and labels from the object storage, and sends what it found to the master. Start
    one for each processor, on as many machines as you like, at any time: which worker does a shard changes nothing in
    the result. Stop one at any time: after Ctrl-C or SIGTERM it finishes its current shard and ends. After a second
    signal it ends at once, and another worker does the shard. A worker also has a process that reads up to two uploaded
    files.

    \b
    Example:
      export DISNPLBM_BROKER_URL=amqp://guest:guest@broker:5672//
      export DISNPLBM_REDIS_URL=redis://redis:6379/0
      export DISNPLBM_STORE_URL=s3://bucket/disnplbm
      disnplbm worker --name first

    All settings are environment variables that begin with DISNPLBM_. The worker waits for the broker to answer.
    """
    from disnplbm.messaging.departure import Departure

    departure = Departure("worker")
    interruption.attend(departure)
    from disnplbm.settings import settings

    chosen = settings()
    chosen.check_worker()
    for variable in _ONE_THREAD:
        os.environ[variable] = "1"
    with ExitStack() as stack:
        if chosen.metrics_port:
            # Read when prometheus_client is imported, which is below.
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(stack.enter_context(scratch_folder("disnplbm-metrics-")))
        from disnplbm_worker.service import run_worker

        code = run_worker(chosen, name, departure)
    if code:
        raise SystemExit(code)
