"""Objects whose key ends in their digest."""

from __future__ import annotations

import hashlib

import pytest

from disnplbm.errors import RunError
from disnplbm.objects.addressed import ObjectLost, get_addressed, put_addressed
from disnplbm.objects.store import open_store


def test_read_back_what_was_written() -> None:
    store = open_store("memory://")
    key = put_addressed(store, "runs/r/labels/0/1/2", b"abc")
    assert key == f"runs/r/labels/0/1/2-{hashlib.sha256(b'abc').hexdigest()[:16]}"
    assert bytes(get_addressed(store, key)) == b"abc"


def test_another_content_is_lost() -> None:
    store = open_store("memory://")
    key = put_addressed(store, "a", b"abc")
    store.put(key, b"abd")
    with pytest.raises(ObjectLost, match=f"{key} .* is damaged"):
        get_addressed(store, key)
    store.delete([key])
    with pytest.raises(ObjectLost, match=f"{key} is missing"):
        get_addressed(store, key)


def test_a_store_that_is_away_has_lost_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    store = open_store("s3://bucket/prefix", patience=0.2)
    with pytest.raises(RunError) as caught:
        get_addressed(store, "a-0")
    assert not isinstance(caught.value, ObjectLost)
