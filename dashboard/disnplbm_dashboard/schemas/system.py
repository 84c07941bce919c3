"""The server itself."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from disnplbm_dashboard.schemas.common import Given
from disnplbm_dashboard.tokens import Scope


class Health(BaseModel):
    """The server answers."""

    status: Literal["ok"] = "ok"
    version: str


class Ready(BaseModel):
    """All that the server needs is there."""

    status: Literal["ok"] = "ok"
    mode: Literal["embedded", "cluster"]


class Storage(BaseModel):
    """What is kept, and what there is room for."""

    database: Literal["SQLite", "PostgreSQL"]
    store: Literal["folder", "memory", "S3"]
    uploaded_bytes: int = Field(description="Of all files that were uploaded, or are being.")
    upload_total_bytes: int = Field(description="Most of them.")
    upload_limit_bytes: int = Field(description="Most of one file.")
    free_bytes: int | None = Field(description="Free on the disk of the folder; null where there is none.")


class SystemAnswer(BaseModel):
    """The server, and what it works with."""

    version: str
    algorithm: int = Field(description="Labels are the same, bit for bit, within one such version.")
    python: str
    numpy: str
    mode: Literal["embedded", "cluster"]
    processors: int = Field(description="That this process may use.")
    runs: dict[str, int] = Field(description="How many there are of each state.")
    live_runs: int = Field(description="Most runs of one token that are not over.")
    listeners: int = Field(description="Clients of live streams.")
    storage: Storage


class Login(Given):
    """A token."""

    token: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[A-Za-z0-9_-]+$")]


class SessionAnswer(BaseModel):
    """Who asks."""

    actor: str
    scope: Scope
    token_needed: bool = Field(description="False while the server is for this machine only and there is no token.")


class TokenAnswer(BaseModel):
    """A token, without its secret."""

    name: str
    scope: Scope
    state: Literal["valid", "expired", "revoked"]
    created_at: datetime
    expires_at: datetime | None


class Tokens(BaseModel):
    """All tokens, the oldest first."""

    items: list[TokenAnswer]
