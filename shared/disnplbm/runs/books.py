"""All that is written down of runs under way, by whoever drives them: a master, or the engine of the dashboard."""

from __future__ import annotations

from typing import NamedTuple

from disnplbm.runs.chains import ChainStore
from disnplbm.runs.checkpoints import CheckpointStore
from disnplbm.runs.database import Database
from disnplbm.runs.datasets import DatasetStore
from disnplbm.runs.failures import FailureStore
from disnplbm.runs.jobs import JobStore
from disnplbm.runs.ledger import LedgerStore
from disnplbm.runs.lifecycle import Lifecycle


class Books(NamedTuple):
    """One part for each thing; each call of a part is a transaction of its own."""

    datasets: DatasetStore
    runs: Lifecycle
    jobs: JobStore
    chains: ChainStore
    checkpoints: CheckpointStore
    ledger: LedgerStore
    failures: FailureStore

    @classmethod
    def of(cls, database: Database) -> Books:
        """The books in a database."""
        return cls(
            DatasetStore(database),
            Lifecycle(database),
            JobStore(database),
            ChainStore(database),
            CheckpointStore(database),
            LedgerStore(database),
            FailureStore(database),
        )
