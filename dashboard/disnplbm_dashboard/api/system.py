"""The server itself: health, sessions, tokens, events of everything."""

from __future__ import annotations

import platform
import shutil
from typing import Literal
from urllib.parse import urlsplit

import numpy as np
from apiflask import APIBlueprint
from flask import Response, request

from disnplbm import __version__
from disnplbm.algorithm import ALGORITHM_VERSION
from disnplbm.machine import usable_cores
from disnplbm_dashboard.answers import nothing, reply
from disnplbm_dashboard.backend import backend
from disnplbm_dashboard.problems import HttpProblem
from disnplbm_dashboard.schemas.common import AfterQuery, Events
from disnplbm_dashboard.schemas.events import events_answer
from disnplbm_dashboard.schemas.system import (
    Health,
    Login,
    Ready,
    SessionAnswer,
    Storage,
    SystemAnswer,
    TokenAnswer,
    Tokens,
)
from disnplbm_dashboard.security import COOKIE, get_actor, make_public, require_scope
from disnplbm_dashboard.tokens import SESSION

bp = APIBlueprint("system", __name__, tag="System", url_prefix="/api/v1")


@bp.get("/health")
@bp.output(Health)
@make_public
def health() -> Response:
    """Whether the server answers."""
    return reply(Health(version=__version__))


@bp.get("/ready")
@bp.output(Ready)
@make_public
def ready() -> Response:
    """Whether the database, with its tables, and the object store answer."""
    here = backend()
    here.database.check_version()
    here.store.exists("ready")
    return reply(Ready(mode="cluster" if here.runner is None else "embedded"))


@bp.get("/system")
@bp.output(SystemAnswer)
def get_system() -> Response:
    """The server, its versions, its limits, and what it keeps."""
    here = backend()
    return reply(
        SystemAnswer(
            version=__version__,
            algorithm=ALGORITHM_VERSION,
            python=platform.python_version(),
            numpy=np.__version__,
            mode="cluster" if here.runner is None else "embedded",
            processors=usable_cores(),
            runs=here.listing.states(),
            live_runs=here.settings.live_runs,
            listeners=here.tailer.clients,
            storage=Storage(
                database="PostgreSQL" if here.database.is_postgres else "SQLite",
                store=_kind(here.store.url),
                uploaded_bytes=here.listing.uploaded_bytes(),
                upload_total_bytes=here.settings.upload_total_bytes,
                upload_limit_bytes=here.settings.upload_limit_bytes,
                free_bytes=_free(here.store.url),
            ),
        )
    )


@bp.get("/session")
@bp.output(SessionAnswer)
def get_session() -> Response:
    """Who asks."""
    return reply(_session(get_actor().name))


@bp.post("/session")
@bp.input(Login)
@bp.output(SessionAnswer)
@make_public
def begin_session(json_data: Login) -> Response:
    """Exchange a token for a cookie, which the pages send from then on."""
    tokens = backend().tokens
    token = tokens.find(json_data.token)
    if token is None:
        raise HttpProblem("unauthorized", "this token is unknown, expired or revoked")
    response = reply(SessionAnswer(actor=token.name, scope=token.scope, token_needed=True))
    response.set_cookie(
        COOKIE,
        tokens.open_session(token.name),
        max_age=int(SESSION.total_seconds()),
        secure=request.is_secure,
        httponly=True,
        samesite="Strict",
        path=f"{request.script_root}/",
    )
    return response


@bp.delete("/session")
@bp.doc(responses={204: "It is over."})
@make_public
def end_session() -> Response:
    """Delete the cookie."""
    cookie = request.cookies.get(COOKIE)
    if cookie is not None:
        backend().tokens.close_session(cookie)
    response = nothing()
    response.delete_cookie(COOKIE, path=f"{request.script_root}/", httponly=True, samesite="Strict")
    return response


@bp.get("/tokens")
@bp.output(Tokens)
@require_scope("admin")
def list_tokens() -> Response:
    """All tokens, without their secrets; `disnplbm token` makes and revokes them."""
    return reply(
        Tokens(
            items=[
                TokenAnswer(
                    name=token.name,
                    scope=token.scope,
                    state=token.state,
                    created_at=token.created_at,
                    expires_at=token.expires_at,
                )
                for token in backend().tokens.list()
            ]
        )
    )


@bp.get("/events")
@bp.input(AfterQuery, location="query")
@bp.output(Events)
def get_events(query_data: AfterQuery) -> Response:
    """What happened, in order."""
    found = backend().listing.events(after=query_data.after, limit=query_data.limit)
    return reply(events_answer(found, query_data.after))


def _session(name: str) -> SessionAnswer:
    return SessionAnswer(
        actor=name, scope=get_actor().scope, token_needed=backend().tokens.any() or not backend().loopback
    )


def _kind(url: str) -> Literal["folder", "memory", "S3"]:
    scheme = urlsplit(url).scheme
    return "S3" if scheme == "s3" else "memory" if scheme == "memory" else "folder"


def _free(url: str) -> int | None:
    """Free bytes of a folder's disk."""
    try:
        return shutil.disk_usage(url.removeprefix("file://")).free if _kind(url) == "folder" else None
    except OSError:
        return None
