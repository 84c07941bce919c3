"""Live events: what was missed, what happens, and nothing twice."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from werkzeug.test import TestResponse

from disnplbm_dashboard import tailer
from disnplbm_dashboard.embedded.runner import Runner

from .conftest import Dashboard


@pytest.fixture
def live(dashboard: Dashboard, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dashboard]:
    """A dashboard whose tailer looks often."""
    monkeypatch.setattr(tailer, "INTERVAL", 0.01)
    dashboard.backend.tailer.start()
    yield dashboard
    dashboard.backend.tailer.stop()


class Listener:
    """A client of a stream."""

    def __init__(self, response: TestResponse) -> None:
        assert response.status_code == 200
        assert response.content_type.startswith("text/event-stream")
        self._response = response
        self._pieces = response.iter_encoded()
        assert next(self._pieces) == b"retry: 2000\n\n"

    def next(self, kind: str) -> dict[str, Any]:
        """The next message of a kind, with its id; others, be they heartbeats, come for a minute at most."""
        deadline = time.monotonic() + 60
        for piece in self._pieces:
            assert time.monotonic() < deadline, f"no {kind} came"
            lines = dict(line.split(": ", 1) for line in piece.decode().splitlines() if line)
            if lines.get("event") == kind:
                return {**json.loads(lines["data"]), "number": int(lines.get("id", 0))}
        raise AssertionError("the stream ended")

    def close(self) -> None:
        """Go away."""
        self._response.close()


def test_events_come_as_they_happen_and_what_was_missed_comes_first(live: Dashboard) -> None:
    run = live.submit()
    everything = Listener(live.get("/events/stream?after=0"))
    assert [everything.next("event")["kind"] for _ in range(2)] == ["uploaded", "submitted"]
    one = Listener(live.get(f"/runs/{run}/events/stream", headers={"Last-Event-ID": "1"}))
    assert one.next("event")["kind"] == "submitted"
    other = live.submit()
    live.post(f"/runs/{run}/cancel")
    assert one.next("event")["to_state"] == "CANCELLED"
    found = [everything.next("event") for _ in range(3)]
    assert [event["run"] for event in found] == [None, other, run]
    assert [event["number"] for event in found] == [event["id"] for event in found] == [3, 4, 5]
    one.close()
    everything.close()
    assert live.backend.tailer.clients == 0


def test_progress_comes_with_every_iteration_and_with_the_end(live: Dashboard) -> None:
    run = live.submit(options={"iterations": 30})
    one = Listener(live.get(f"/runs/{run}/events/stream"))
    runner = Runner(live.database, live.store, threads=1)
    thread = threading.Thread(target=runner.poll)
    thread.start()
    seen = []
    while not seen or seen[-1]["state"] != "SUCCEEDED":
        seen.append(one.next("progress"))
    thread.join()
    assert seen[-1]["progress"] == {"done": 30, "total": 30}
    assert seen[-1]["row_clusters"] == live.get(f"/runs/{run}").json["row_clusters"]
    done = [message["progress"]["done"] for message in seen]
    assert done == sorted(done)
    one.close()


def test_the_polling_twin_says_the_same(live: Dashboard) -> None:
    run = live.submit()
    listener = Listener(live.get("/events/stream?after=0"))
    streamed = [listener.next("event") for _ in range(2)]
    polled = live.get("/events?after=0&limit=1").json
    assert polled["last"] == polled["items"][-1]["id"]
    rest = live.get(f"/events?after={polled['last']}").json["items"]
    assert [{**event, "number": event["id"]} for event in [*polled["items"], *rest]] == streamed
    assert live.get("/events?after=99").json == {"items": [], "last": 99}
    assert [event["run"] for event in live.get(f"/runs/{run}/events").json["items"]] == [run]
    listener.close()


def test_an_event_that_appears_late_is_not_missed(live: Dashboard) -> None:
    listing, shown = live.backend.listing, live.backend.tailer
    live.upload()
    run = live.submit()
    late = listing.events()[1]
    events = listing.events

    class Late:
        hidden = True

        def __init__(self) -> None:
            self.asked = threading.Event()

        def __call__(self, **asked: Any) -> Any:
            found = [event for event in events(**asked) if not (self.hidden and event.id == late.id)]
            self.asked.set()
            return found

    hiding = Late()
    shown._listing = _Hiding(listing, hiding)  # type: ignore[assignment]
    listener = Listener(live.get("/events/stream"))
    # Else the tailer may begin after the cancel, which then is none of its news.
    assert hiding.asked.wait(60)
    live.post(f"/runs/{run}/cancel")
    assert listener.next("event")["to_state"] == "CANCELLED"
    hiding.hidden = False
    # Its number is lower than one that was sent: it comes all the same.
    assert listener.next("event")["id"] == late.id
    listener.close()


class _Hiding:
    def __init__(self, listing: Any, events: Any) -> None:
        self._listing, self.events = listing, events

    def __getattr__(self, name: str) -> Any:
        return getattr(self._listing, name)


def test_a_client_that_is_far_behind_is_told_to_come_again(live: Dashboard) -> None:
    with live.backend.tailer.listen(None) as client:
        for number in range(client.waiting.maxsize + 1):
            tailer._give(client, tailer.Message("event", None, "{}", number))
        assert client.waiting.get_nowait() is None


def test_there_is_a_limit_and_the_end_of_the_server_ends_all(live: Dashboard, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tailer, "MOST_CLIENTS", 1)
    listener = Listener(live.get("/events/stream"))
    refused = live.get("/events/stream")
    assert (refused.status_code, refused.json["type"]) == (429, "urn:disnplbm:problem:limit")
    live.backend.tailer.stop()
    with pytest.raises(AssertionError, match="ended"):
        listener.next("event")
    listener.close()
