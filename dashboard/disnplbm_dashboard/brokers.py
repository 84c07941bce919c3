"""What waits in the queues of a cluster; asked for without making any."""

from __future__ import annotations

import threading
import time

from disnplbm.errors import RunError
from disnplbm.messaging.inspection import QueueState, inspect_queues

#: Seconds that the broker may take, and that an answer is good for.
_PATIENCE, _GOOD = 3, 2.0


class Broker:
    """Asks the broker, at most once in a while."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._lock = threading.Lock()
        self._asked, self._found = 0.0, list[QueueState]()

    def queues(self) -> list[QueueState]:
        """All queues of this version; RunError if the broker is away."""
        with self._lock:
            if not self._found or time.monotonic() - self._asked > _GOOD:
                self._found = self._ask()
                self._asked = time.monotonic()
            return self._found

    def _ask(self) -> list[QueueState]:
        try:
            return inspect_queues(self._url, _PATIENCE)
        except RunError as error:
            raise RunError(f"the broker cannot be asked ({error}): see that RabbitMQ runs") from error
