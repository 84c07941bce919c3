"""The run that every fault is held against: undisturbed, in one process, by ``fit``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from disnplbm.engine.options import Options
from services.cluster import Cluster
from services.tables import fitted, missing


@dataclass(frozen=True, slots=True)
class Reference:
    """A table, what to do with it, and what must come of it.

    Parameters
    ----------
    path : Path
        2,000 x 60 with missing cells.
    options : Options
    n_shards : int
    digest : str
        Of labels and trace.
    """

    path: Path
    options: Options
    n_shards: int
    digest: str

    def submit(self, cluster: Cluster) -> str:
        """Submit it to a cluster; the id of the run."""
        return cluster.submit(self.path, self.options, n_shards=self.n_shards)

    def under_way(self, cluster: Cluster, iteration: int) -> str:
        """Submit it, and wait until so many iterations are done; the id of the run."""
        run = self.submit(cluster)
        cluster.wait(run, iteration=iteration)
        return run

    def check(self, cluster: Cluster, run: str) -> None:
        """Wait for the end of a run of it, which must have the same labels and the same trace."""
        assert cluster.outcome(run)["digest"] == self.digest


def make_reference(folder: Path) -> Reference:
    """Generate the table in a folder, and fit it."""
    path, n_shards = missing(folder / "table"), 4
    options = Options(iterations=25, seed=7, sampler="split-merge", burn_in=10, draws=4)
    return Reference(path, options, n_shards, fitted(path, folder / "fit", options, n_shards=n_shards)["digest"])
