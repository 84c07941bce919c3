"""Members that are cut from a server in the middle of a run, which ends as if they had not been."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from faults.aftermath import ends_well, goes_on
from faults.reference import Reference
from marks import long
from services.cluster import Cluster
from services.proxy import Mode, Proxy


def cut(proxy: Proxy, mode: Mode, seconds: float) -> None:
    """Cut what goes through a proxy, and mend it so much later."""
    proxy.switch(mode)
    time.sleep(seconds)
    proxy.switch("pass")


@pytest.mark.parametrize(("mode", "seconds"), [("reset", 2.0), long("drop", 30.0)])
def test_cut_from_the_broker(hasty: Cluster, reference: Reference, mode: Mode, seconds: float) -> None:
    """First the only worker, then the master."""
    broker = hasty.rabbitmq
    with Proxy(broker.port) as of_worker, Proxy(broker.port) as of_master:
        hasty.start_master(DISNPLBM_BROKER_URL=of_master.url(broker.url))
        hasty.start_worker(DISNPLBM_BROKER_URL=of_worker.url(broker.url))
        run = reference.under_way(hasty, 6)
        cut(of_worker, mode, seconds)
        goes_on(hasty, run)
        hasty.wait(run, iteration=12)
        cut(of_master, mode, seconds)
        goes_on(hasty, run)
        ends_well(hasty, reference, run)


@pytest.mark.long
def test_twenty_resets(hasty: Cluster, reference: Reference) -> None:
    """Of the only worker's connections to the broker: within 7 s of each it works again."""
    broker, worst = hasty.rabbitmq, 0.0
    hasty.start_master()
    with Proxy(broker.port) as proxy:
        hasty.start_worker(DISNPLBM_BROKER_URL=proxy.url(broker.url))
        options = replace(reference.options, iterations=2000, burn_in=1000)
        run = hasty.submit(reference.path, options, n_shards=reference.n_shards)
        hasty.wait(run, iteration=3)
        for _ in range(20):
            cut(proxy, "reset", 0.2)
            mended, done = time.monotonic(), hasty.service.progress(run).done
            hasty.wait(run, iteration=done + 2)
            worst = max(worst, time.monotonic() - mended)
        print(f"goes on after {worst:.1f} s at most")
        assert worst < 7.0
        hasty.service.cancel(run, actor="test")
        reference.check(hasty, reference.submit(hasty))


@pytest.mark.parametrize(("mode", "seconds"), [("drop", 5.0), long("reset", 5.0)])
def test_master_cut_from_the_database(hasty: Cluster, reference: Reference, mode: Mode, seconds: float) -> None:
    """Reset, it loses its leadership, and takes it again."""
    with Proxy(hasty.postgres.port) as proxy:
        address = proxy.url(hasty.environment["DISNPLBM_DATABASE_URL"])
        hasty.start_master(DISNPLBM_DATABASE_URL=address)
        hasty.start_worker()
        run = reference.under_way(hasty, 8)
        cut(proxy, mode, seconds)
        goes_on(hasty, run)
        ends_well(hasty, reference, run)
