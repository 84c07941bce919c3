"""The master as a whole: its parts put together, and the process that they run in."""

from __future__ import annotations

from amqp.exceptions import PreconditionFailed
from prometheus_client import REGISTRY

from disnplbm.errors import RunError, first_line
from disnplbm.messaging import queues
from disnplbm.messaging.app import Application
from disnplbm.messaging.consumer import (
    RECONNECTION,
    REFUSALS,
    describe_refusal,
    leave_logging_alone,
    make_wait_notice,
    make_worker,
)
from disnplbm.messaging.heartbeat import Heartbeat
from disnplbm.messaging.inspection import inspect_queue
from disnplbm.messaging.metrics import serve_metrics
from disnplbm.messaging.mirror import Mirror
from disnplbm.messaging.patience import retry_while_away
from disnplbm.objects.store import open_store
from disnplbm.runs.books import Books
from disnplbm.runs.database import Database, Leadership
from disnplbm.settings import Settings
from disnplbm_master.app import master_app
from disnplbm_master.coordinator import Coordinator
from disnplbm_master.finishing import Finisher
from disnplbm_master.inbox import Inbox
from disnplbm_master.janitor import Janitor
from disnplbm_master.jobs import Jobs
from disnplbm_master.leader import stand_by, step_down_when_lost
from disnplbm_master.publication import Publisher
from disnplbm_master.reconciler import Reconciler

#: Chord callbacks at a time. Most come too late to do anything, and fewer at a time would queue up behind the results.
_CALLBACKS = 16

#: For how long a connection to the database is taken for sound, in seconds: some iterations take much less.
_TRUSTED_SECONDS = 1.0


def serve(settings: Settings) -> int:
    """Be a master, until the process is told to stop.

    Returns
    -------
    int
        Exit code.

    Raises
    ------
    RunError
        The database is not migrated, the object storage cannot be opened, the heartbeat file or the metrics' port is
        not to be had, or the broker refuses the connection.
    """
    leave_logging_alone()
    with Heartbeat(settings.heartbeat_file) as heartbeat:
        return _serve(settings, heartbeat)


def _serve(settings: Settings, heartbeat: Heartbeat) -> int:
    database = Database(settings.database_url, _TRUSTED_SECONDS)
    store = open_store(settings.store_url)
    serve_metrics(settings, REGISTRY)
    leadership = Leadership(database)
    stand_by(leadership)
    retry_while_away(database.check_version)
    step_down_when_lost(leadership, heartbeat)
    inbox: Inbox
    app = master_app(settings, lambda: inbox)
    books, mirror, janitor = Books.of(database), Mirror(settings.redis_url), Janitor(store)
    publisher = Publisher(app, mirror.is_reachable)
    coordinator = Coordinator(books, store, publisher, mirror, janitor, settings)
    jobs = Jobs(books, coordinator, publisher, settings.attempts)
    inbox = Inbox(coordinator, jobs, settings.attempts, mirror.count_lost)
    finisher = Finisher(books, store, coordinator.rewind, settings.attempts)
    reconciler = Reconciler(coordinator, jobs, finisher, janitor, books, publisher, mirror, settings)
    if _declare_queues(app):
        retry_while_away(books.chains.ask_again)
    reconciler.start()
    worker = make_worker(app, queues=[queues.MASTER.name], pool_cls="threads", concurrency=_CALLBACKS)
    worker.start()
    return int(worker.exitcode or 0)


def _declare_queues(app: Application) -> bool:
    """Declare the queues, as soon as there is a broker that stays for it; RunError if it refuses us.

    Returns
    -------
    bool
        Whether some were not there: then what was published is gone.
    """
    while True:
        with app.connection_for_write() as connection:
            try:
                connection.ensure_connection(make_wait_notice(connection), **RECONNECTION)
                new = any(inspect_queue(connection, queue.name).waiting is None for queue in queues.ALL)
                for queue in queues.ALL:
                    queue.bind(connection.default_channel).declare()
            except REFUSALS as error:
                raise RunError(describe_refusal(connection, error)) from error
            except PreconditionFailed as error:
                raise RunError(
                    f"a queue is there with other settings ({first_line(error)}): delete it, as docs/upgrading.md says"
                ) from error
            except connection.recoverable_connection_errors as error:
                make_wait_notice(connection)(error, 0.0)
            else:
                return new
