"""An iteration of one chain on the cluster, as master, workers and broker do it.

The master does one thing at a time: it publishes the shards one after another, takes the results one by one as they
come in (none while it publishes), and after the last one it steps, commits and publishes again. A worker that is free
takes the shard that waits longest; among free workers the one that is free longest gets it, as with the broker. It
has the shard from its memory, its disk or the store, sweeps it, sends the result, and is free again a while later.
"""

from __future__ import annotations

import math
import random
import statistics
from collections import Counter, OrderedDict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

from benchmarks.simulation.events import Clock
from disnplbm_master.batches import PREFETCH
from disnplbm_master.publication import order_shards

Source = Literal["memory", "disk", "store"]

#: In which order shards are published: by number, or as the master does it, so that workers get those they have.
Order = Literal["shards", "workers"]


@dataclass(frozen=True)
class Steps:
    """Seconds of every step of an iteration of one table in so many shards; each where nothing else is going on.

    Parameters
    ----------
    lead : float
        The master, before it publishes.
    publish : float
        The master, a shard.
    tail : float
        The master, after it published.
    to_worker, to_master : float
        A message on its way.
    work : float
        A worker, from the start of a task until its result is sent, with the shard in its memory.
    disk, store : float
        The same, in addition, for a shard that it has from there.
    turn : float
        A worker, from a result until it begins what waits for it.
    batch : float
        The master, results that it takes together.
    take : float
        The master, besides, each of them.
    step : float
        The master, once all results are in, up to the commit.
    behind : float
        The servers, a shard, while nobody waits for them. It matters where they share processors with all others.
    spread, turn_spread : float
        Standard deviations of the logarithms of ``work`` and ``turn``, from task to task.
    """

    lead: float = 0.0
    publish: float = 0.0
    tail: float = 0.0
    to_worker: float = 0.0
    work: float = 0.0
    disk: float = 0.0
    store: float = 0.0
    turn: float = 0.0
    to_master: float = 0.0
    batch: float = 0.0
    take: float = 0.0
    step: float = 0.0
    behind: float = 0.0
    spread: float = 0.0
    turn_spread: float = 0.0


#: What can hold an iteration up, and the steps that it consists of.
BOTTLENECKS: dict[str, tuple[str, ...]] = {
    "sweep": ("work", "turn"),
    "reading": ("disk", "store"),
    "publication": ("lead", "publish", "tail"),
    "results": ("batch", "take"),
    "column step": ("step",),
    "messages' way": ("to_worker", "to_master"),
}


@dataclass(frozen=True)
class Setup:
    """Who takes part.

    Parameters
    ----------
    workers, shards : int
    memory, disk : int
        Shards that a worker can hold.
    cores : float
        Processors that master, workers and servers share; infinity is one for each.
    store_clients : float
        Workers that the store serves at a time as fast as one alone.
    order : Order
    full : bool
        Caches are full at the start, of shards drawn at random; else empty.
    """

    workers: int
    shards: int
    memory: int = 1 << 30
    disk: int = 0
    cores: float = math.inf
    store_clients: float = math.inf
    order: Order = "workers"
    full: bool = True


@dataclass(frozen=True)
class Outcome:
    """What was simulated.

    Parameters
    ----------
    seconds : list of float
        Of each iteration after the first ones.
    sources : list of Counter
        Where the workers had the shards from, in each of all iterations.
    swept : list of list of int
        Shards in the order of their results, in each of all iterations.
    """

    seconds: list[float]
    sources: list[Counter[Source]]
    swept: list[list[int]]

    @property
    def counted(self) -> list[Counter[Source]]:
        """Sources in the iterations that count."""
        return self.sources[-len(self.seconds) :]

    @property
    def median(self) -> float:
        """Seconds of an iteration."""
        return statistics.median(self.seconds)


@dataclass
class _Worker:
    """A worker's caches; the shard used last is at the end."""

    memory: OrderedDict[int, None] = field(default_factory=OrderedDict)
    disk: OrderedDict[int, None] = field(default_factory=OrderedDict)

    def get(self, shard: int, setup: Setup) -> Source:
        """Where a shard is had from; it is in the caches then."""
        source: Source = "memory" if shard in self.memory else "disk" if shard in self.disk else "store"
        if source != "memory" and setup.disk:
            _put(self.disk, shard, setup.disk)
        if setup.memory:
            _put(self.memory, shard, setup.memory)
        return source


def _put(cache: OrderedDict[int, None], shard: int, most: int) -> None:
    cache[shard] = None
    cache.move_to_end(shard)
    if len(cache) > most:
        cache.popitem(last=False)


class _Simulation:
    def __init__(self, steps: Steps, setup: Setup, seed: int) -> None:
        self._steps, self._setup = steps, setup
        self._clock = Clock()
        self._cores = self._clock.shared(setup.cores)
        self._store = self._clock.shared(setup.store_clients)
        self._random = random.Random(seed)
        self._workers = [_Worker() for _ in range(setup.workers)]
        if setup.full:
            for worker in self._workers:
                for cache, most in ((worker.disk, setup.disk), (worker.memory, setup.memory)):
                    held = self._random.sample(range(setup.shards), min(most, setup.shards))
                    cache.update(dict.fromkeys(held))
        self._idle = deque(range(setup.workers))
        self._waiting: deque[int] = deque()
        self._inbox: deque[tuple[int, int]] = deque()
        self._busy = False
        self.ends: list[float] = []
        self.sources: list[Counter[Source]] = []
        # Results of each iteration as they came: worker, shard.
        self.taken: list[list[tuple[int, int]]] = []

    def run(self, iterations: int) -> None:
        self._publish()
        self._clock.run(lambda: len(self.ends) == iterations)

    def _publish(self) -> None:
        """The master publishes an iteration."""
        order = deque(self._ordered())
        self.taken.append([])
        self.sources.append(Counter())
        self._busy = True

        def following() -> None:
            if not order:
                self._cores.serve(self._steps.tail, self._free)
                return
            shard = order.popleft()
            self._cores.serve(self._steps.publish, partial(sent, shard))

        def sent(shard: int) -> None:
            self._clock.after(self._steps.to_worker, partial(self._arrive, shard))
            following()

        self._cores.serve(self._steps.lead, following)

    def _ordered(self) -> list[int]:
        if self._setup.order == "shards" or not self.taken:
            return list(range(self._setup.shards))
        return order_shards(self.taken[-1])

    def _arrive(self, shard: int) -> None:
        """A shard's task is with the broker."""
        self._waiting.append(shard)
        self._dispatch()

    def _dispatch(self) -> None:
        while self._idle and self._waiting:
            self._begin(self._idle.popleft(), self._waiting.popleft())

    def _begin(self, worker: int, shard: int) -> None:
        """A worker begins a task."""
        source = self._workers[worker].get(shard, self._setup)
        self.sources[-1][source] += 1
        seconds = self._about(self._steps.work, self._steps.spread)
        done = partial(self._swept, worker, shard)
        if source == "store":
            self._store.serve(self._steps.store, lambda: self._cores.serve(seconds, done))
        else:
            self._cores.serve(seconds + (self._steps.disk if source == "disk" else 0.0), done)

    def _about(self, seconds: float, spread: float) -> float:
        return seconds * self._random.lognormvariate(0.0, spread)

    def _swept(self, worker: int, shard: int) -> None:
        """A worker has sent a result."""
        self._clock.after(self._steps.to_master, partial(self._received, worker, shard))
        self._cores.serve(self._about(self._steps.turn, self._steps.turn_spread), partial(self._rested, worker))
        if self._steps.behind:
            self._cores.serve(self._steps.behind, _nothing)

    def _rested(self, worker: int) -> None:
        self._idle.append(worker)
        self._dispatch()

    def _received(self, worker: int, shard: int) -> None:
        self._inbox.append((worker, shard))
        if not self._busy:
            self._take()

    def _free(self) -> None:
        """The master looks for what came in meanwhile."""
        self._busy = False
        if self._inbox:
            self._take()

    def _take(self) -> None:
        self._busy = True
        results = [self._inbox.popleft() for _ in range(min(len(self._inbox), PREFETCH))]
        self._cores.serve(self._steps.batch + len(results) * self._steps.take, partial(self._took, results))

    def _took(self, results: list[tuple[int, int]]) -> None:
        self.taken[-1].extend(results)
        if len(self.taken[-1]) == self._setup.shards:
            self._cores.serve(self._steps.step, self._stepped)
        else:
            self._free()

    def _stepped(self) -> None:
        self.ends.append(self._clock.now)
        self._publish()


def _nothing() -> None:
    """What follows on work that nobody waits for."""


def simulate(steps: Steps, setup: Setup, iterations: int = 10, skipped: int = 3, seed: int = 0) -> Outcome:
    """Simulate the iterations of a chain.

    Parameters
    ----------
    steps : Steps
    setup : Setup
    iterations : int
        That count.
    skipped : int
        Iterations before them.
    seed : int
        Of the spread of the workers' times, and of what the caches hold at the start.
    """
    simulation = _Simulation(steps, setup, seed)
    simulation.run(skipped + iterations)
    ends = [0.0, *simulation.ends]
    seconds = [ends[i + 1] - ends[i] for i in range(skipped, skipped + iterations)]
    done = skipped + iterations
    swept = [[shard for _, shard in taken] for taken in simulation.taken[:done]]
    return Outcome(seconds, simulation.sources[:done], swept)


def share(sources: Sequence[Mapping[Any, int]], source: Source) -> float:
    """Part of the shards of some iterations that workers had from one source, simulated or real."""
    return sum(each.get(source, 0) for each in sources) / sum(sum(each.values()) for each in sources)


def bottleneck(steps: Steps, setup: Setup, iterations: int = 10, skipped: int = 3) -> str:
    """Of :data:`BOTTLENECKS` the one without which an iteration would be shortest."""
    without = {}
    for name, parts in BOTTLENECKS.items():
        faster = replace(steps, **dict.fromkeys(parts, 0.0))
        without[name] = simulate(faster, setup, iterations, skipped).median
    return min(without, key=lambda name: without[name])
