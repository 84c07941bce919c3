"""Every operation of the API, with every kind of token: from the document, so that none is forgotten."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from disnplbm_dashboard.app import create_app
from services.dashboard import EmbeddedParts

#: What needs no token at all.
PUBLIC = {
    ("get", "/api/v1/health"),
    ("get", "/api/v1/ready"),
    ("post", "/api/v1/session"),
    ("delete", "/api/v1/session"),
}

#: What needs the scope admin.
ADMIN = {("get", "/api/v1/tokens")}


def _operations() -> list[tuple[str, str]]:
    document = json.loads((Path(__file__).parents[2] / "docs" / "openapi.json").read_text())
    return [(method, path) for path, operations in document["paths"].items() for method in operations]


OPERATIONS = _operations()

SCOPES = ("read", "run", "admin")


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedParts]:
    found = EmbeddedParts(tmp_path_factory.mktemp("scopes"))
    yield found
    found.database.close()


@pytest.fixture(scope="module")
def secrets(parts: EmbeddedParts) -> dict[str, str]:
    """A token of each scope, one that was revoked, and words that are none."""
    made = {scope: parts.backend.tokens.create(scope, scope, None) for scope in SCOPES}  # type: ignore[arg-type]
    gone = parts.backend.tokens.create("gone", "admin", None)
    parts.backend.tokens.revoke("gone")
    return made | {"none": "", "gone": gone, "nonsense": "dnp_nonsense"}


@pytest.fixture(scope="module")
def client(parts: EmbeddedParts) -> FlaskClient:
    return create_app(parts.backend).test_client(use_cookies=False)


def test_all_operations_are_looked_at() -> None:
    assert len(OPERATIONS) >= 37
    assert set(OPERATIONS) >= PUBLIC | ADMIN


@pytest.mark.parametrize("who", ["none", "gone", "nonsense", *SCOPES])
@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_an_operation_is_for_its_scope(
    client: FlaskClient, secrets: dict[str, str], method: str, path: str, who: str
) -> None:
    filled = path.replace("{run_id}", "0" * 12).replace("{dataset_id}", "0" * 12)
    filled = filled.replace("{name}", "run.json").replace("{number}", "0")
    headers = {"Authorization": f"Bearer {secrets[who]}"} if secrets[who] else {}
    body = {} if method in ("post", "put") else None
    status = client.open(filled, method=method.upper(), headers=headers, json=body).status_code
    needed = "admin" if (method, path) in ADMIN else "read" if method == "get" else "run"
    if (method, path) in PUBLIC:
        assert status not in (401, 403)
    elif who not in SCOPES:
        assert status == 401
    elif SCOPES.index(who) < SCOPES.index(needed):
        assert status == 403
    else:
        assert status not in (401, 403)
        assert status < 500
