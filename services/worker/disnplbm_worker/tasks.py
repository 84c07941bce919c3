"""What all tasks of a worker have in common: how Celery calls them, and how what came of them is sent."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import structlog
from celery.exceptions import Reject
from kombu.exceptions import OperationalError

from disnplbm.errors import DisnplbmError
from disnplbm.messaging.app import Application, Refused, publish_result
from disnplbm.messaging.messages import Result

_log = structlog.get_logger(__name__)


def deliveries(request: Any) -> int:
    """Deliveries of a task before this one."""
    return int(request.get("x-delivery-count") or 0)


def make_bindable(function: Callable[[Any, dict[str, Any]], Any]) -> Callable[[Any, dict[str, Any]], Any]:
    """Make the function as Celery wants it: given the task rather than its request.

    Where the broker takes no word about a task, not even that it failed, the task goes back to the queue. The broker
    counts that, and sets the task aside in the end, of which the master hears.
    """

    def task(self: Any, message: dict[str, Any]) -> Any:
        try:
            return function(self.request, message)
        except Refused as error:
            _log.error("the master could not be told: the task goes back", task=self.name, reason=str(error))
            raise Reject(str(error), requeue=True) from error
        except DisnplbmError as error:
            # What goes wrong with the work itself is told before it comes here.
            _log.error("dropped a message", task=self.name, reason=str(error))
            return None

    return task


def publish_until_taken(app: Application, message: Result) -> None:
    """Send a message to the master, for as long as the task may take: given up it would be done all over.

    Raises
    ------
    Refused
        The broker does not take it, and never will.
    """
    connection = app.connection_for_write()
    errors = (*connection.connection_errors, *connection.channel_errors, OperationalError)
    while True:
        try:
            publish_result(app, message)
        except errors as error:
            _log.warning("the broker does not take a result: trying again", reason=str(error))
            time.sleep(1.0)
        else:
            return
