"""What every request works on, made once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from flask import current_app

from disnplbm.engine.preparation import PREVIEW_SECONDS
from disnplbm.objects.store import ObjectStore
from disnplbm.runs.books import Books
from disnplbm.runs.database import Database
from disnplbm.runs.partial import PartialUploads
from disnplbm.runs.results import Results
from disnplbm.runs.service import RunService
from disnplbm.settings import Settings
from disnplbm_dashboard.brokers import Broker
from disnplbm_dashboard.embedded.runner import Runner
from disnplbm_dashboard.explanations import Explanations
from disnplbm_dashboard.heatmap.pictures import Pictures
from disnplbm_dashboard.idempotency import IdempotencyKeys
from disnplbm_dashboard.lists.listing import Listing
from disnplbm_dashboard.preflights import Preflights
from disnplbm_dashboard.public import PublicAddress
from disnplbm_dashboard.tailer import Tailer
from disnplbm_dashboard.tokens import TokenStore
from disnplbm_dashboard.turns import Turns

NAME = "disnplbm"

#: Beginnings of files that are looked at at a time.
PREVIEWS = 4


@dataclass(frozen=True, slots=True)
class Backend:
    """Where runs are, and who does them.

    Parameters
    ----------
    runner : Runner or None
        The embedded engine; None where a cluster does the runs.
    loopback : bool
        Whether nobody but who is at this machine reaches the server.
    public : PublicAddress or None
        Where browsers find it, if a proxy stands before it.
    """

    settings: Settings
    database: Database
    store: ObjectStore
    runner: Runner | None
    loopback: bool
    public: PublicAddress | None
    service: RunService
    results: Results
    books: Books
    listing: Listing
    uploads: PartialUploads
    keys: IdempotencyKeys
    tokens: TokenStore
    preflights: Preflights
    previews: Turns
    tailer: Tailer
    pictures: Pictures
    explanations: Explanations
    broker: Broker

    @classmethod
    def of(
        cls,
        settings: Settings,
        database: Database,
        store: ObjectStore,
        *,
        runner: Runner | None = None,
        loopback: bool = True,
    ) -> Backend:
        """All parts on one database and one store.

        Raises
        ------
        InputError
            DISNPLBM_PUBLIC_URL cannot be used.
        """
        listing = Listing(database)
        results = Results(store)
        public = None if settings.public_url is None else PublicAddress.of(settings.public_url)
        return cls(
            settings,
            database,
            store,
            runner,
            loopback and public is None,
            public,
            RunService(database, store),
            results,
            Books.of(database),
            listing,
            PartialUploads(database, store),
            IdempotencyKeys(database),
            TokenStore(database),
            Preflights(store),
            Turns(PREVIEWS, PREVIEW_SECONDS, "files"),
            Tailer(listing, database),
            Pictures(store, results),
            Explanations(results),
            Broker(settings.broker_url),
        )

    def wake(self) -> None:
        """Tell the embedded engine that there may be work."""
        if self.runner is not None:
            self.runner.wake()


def backend() -> Backend:
    """The backend of the current application."""
    return cast(Backend, current_app.extensions[NAME])
