"""A sampler of one's own is a class, and a line that registers it: ``fit`` and the workers run it as they run ours."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from disnplbm.described import DESCRIBED
from disnplbm.engine.options import Options
from disnplbm.errors import InputError
from disnplbm.kernels.partition_prior import PartitionPrior
from disnplbm.model.statistics import Labels
from disnplbm.sampler.base import Sampler
from disnplbm.sampler.collapsed.merges import Pairs
from disnplbm.sampler.collapsed.sweeping import sweep_rows
from disnplbm.sampler.joined import Joined
from disnplbm.sampler.parameters import Parameters
from disnplbm.sampler.shard import Labelled, Shard
from disnplbm.sampler.state import Broadcast, Record
from disnplbm.samplers import SAMPLERS, Registered
from services.tables import fitted, missing

from .test_sweep import compare_with_local_engine


class InTurn(Sampler):
    """One shard sweeps while all others rest, each in its turn: exact, and slow."""

    def sweeps_side_by_side(self, parameters: Parameters, iteration: int) -> bool:
        """Never."""
        return False

    def label_rows(
        self,
        shard: Shard,
        labels: Labels,
        broadcast: Broadcast,
        parameters: Parameters,
        partition_prior: PartitionPrior,
    ) -> Labelled:
        """Sweep, if it is this shard's turn."""
        (turn,) = broadcast.record
        if shard.index != turn[0]:
            return Labelled(labels, np.arange(len(broadcast.sizes), dtype=np.int32))
        return sweep_rows(shard, labels, broadcast, parameters, partition_prior, Pairs.none().partners, stretch=0)

    def record(self, joined: Joined, broadcast: Broadcast, parameters: Parameters) -> Record:
        """Whose turn it is."""
        return (np.array([broadcast.iteration % parameters.n_shards]),)


SAMPLER = InTurn()


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SAMPLERS, "in-turn", Registered(__name__))
    # What is described is made of the registry when it is imported.
    monkeypatch.setitem(DESCRIBED, "sampler", replace(DESCRIBED["sampler"], choices=("auto", *SAMPLERS)))


def test_fit_runs_it(tmp_path: Path) -> None:
    data, run = missing(tmp_path), tmp_path / "run"
    record = fitted(data, run, Options(sampler="in-turn", iterations=60, seed=1), n_shards=3)
    assert record["parameters"]["sampler"] == "in-turn"
    for axis in ("rows", "columns"):
        found, true = (
            [line.split(",")[1] for line in path.read_text().split()[1:]]
            for path in (run / f"{axis}.csv", data.with_name(f"{axis}.csv"))
        )
        # Single rows move, and whole clusters do not merge: each cluster lies in one true one.
        assert len(set(zip(found, true, strict=True))) == len(set(found)) > 1


def test_workers_run_it_to_the_same_bits(tmp_path: Path) -> None:
    compare_with_local_engine(tmp_path, Options(iterations=6, sampler="in-turn", seed=5))


def test_it_has_no_variants() -> None:
    with pytest.raises(InputError, match="in-turn sampler has the global view"):
        Parameters(sampler="in-turn", view="local")
