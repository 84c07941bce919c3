"""The server itself."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from disnplbm_dashboard.schemas.common import Given
from disnplbm_dashboard.tokens import Scope


class Health(BaseModel):
    """The server answers."""

    status: Literal["ok"] = Field("ok", description="ok: the server answers.")
    version: str = Field(description="Of disnplbm.")


class Ready(BaseModel):
    """All that the server needs is there."""

    status: Literal["ok"] = Field("ok", description="ready: database and object store answer.")
    mode: Literal["embedded", "cluster"] = Field(
        description="embedded: this process does the runs itself; cluster: workers do."
    )


class Storage(BaseModel):
    """What is kept, and what there is room for."""

    database: Literal["SQLite", "PostgreSQL"] = Field(description="What kind of database it is.")
    store: Literal["folder", "memory", "S3"] = Field(description="What kind of object store it is.")
    uploaded_bytes: int = Field(description="Of all files that were uploaded, or are being.")
    upload_total_bytes: int = Field(description="Most of them.")
    upload_limit_bytes: int = Field(description="Most of one file.")
    free_bytes: int | None = Field(description="Free on the disk of the folder; null where there is none.")


class SystemAnswer(BaseModel):
    """The server, and what it works with."""

    version: str = Field(description="Of disnplbm.")
    algorithm: int = Field(description="Labels are the same, bit for bit, within one such version.")
    python: str = Field(description="Its version.")
    numpy: str = Field(description="Its version.")
    mode: Literal["embedded", "cluster"] = Field(
        description="embedded: this process does the runs itself; cluster: workers do."
    )
    processors: int = Field(description="That this process may use.")
    runs: dict[str, int] = Field(description="How many there are of each state.")
    live_runs: int = Field(description="Most runs of one token that are not over.")
    listeners: int = Field(description="Clients of live streams.")
    storage: Storage = Field(description="What is kept, and where.")


class Login(Given):
    """A token."""

    token: Annotated[str, Field(description="Its secret.", min_length=1, max_length=200, pattern=r"^[A-Za-z0-9_-]+$")]


class SessionAnswer(BaseModel):
    """Who asks."""

    actor: str = Field(description="Name of the token; local without tokens.")
    scope: Scope = Field(description="What it may do: read, run or admin.")
    token_needed: bool = Field(description="False while the server is for this machine only and there is no token.")


class TokenAnswer(BaseModel):
    """A token, without its secret."""

    name: str = Field(description="Whose it is.")
    scope: Scope = Field(description="What it may do: read, run or admin.")
    state: Literal["valid", "expired", "revoked"] = Field(description="Whether it can be used.")
    created_at: datetime = Field(description="When it was made.")
    expires_at: datetime | None = Field(description="When it ends; null: it does not.")


class Tokens(BaseModel):
    """All tokens, the oldest first."""

    items: list[TokenAnswer] = Field(description="The tokens, by name.")
