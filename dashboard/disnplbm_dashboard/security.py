"""Who may ask for what: tokens, sessions of browsers, and what answers tell browsers to allow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

from flask import Flask, Response, g, request

from disnplbm.client.address import LOOPBACK
from disnplbm.errors import DisnplbmError
from disnplbm.runs.database import DatabaseAway
from disnplbm_dashboard.backend import NAME, Backend, backend
from disnplbm_dashboard.connections import TAKEN_FROM_ANYBODY, UNREAD
from disnplbm_dashboard.problems import HttpProblem
from disnplbm_dashboard.tokens import SCOPES, Scope

_F = TypeVar("_F", bound=Callable[..., Any])

COOKIE = "disnplbm_session"

API = "/api/"

METRICS = "/metrics"

#: What proxies add to a request.
_PROXIED = ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip")

_SAFE = ("GET", "HEAD", "OPTIONS")

_PUBLIC, _SCOPE, _BODY = "_public", "_scope", "_body"

#: Most bytes of a body, unless the view takes more.
BODY_BYTES = 128 * 2**10

#: Ports that an origin does not name.
_PORTS = {"http": ":80", "https": ":443"}

#: No script or style but our own files, nothing from elsewhere, and no frame around it.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self';"
    " connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)

_HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


@dataclass(frozen=True, slots=True)
class Actor:
    """Who asks.

    Parameters
    ----------
    name : str
        In the events of what they do.
    scope : {"read", "run", "admin"}
    """

    name: str
    scope: Scope


#: Whoever is at this machine, while there is no token.
LOCAL = Actor("local", "admin")


def make_public(view: _F) -> _F:
    """Let anybody ask a view."""
    setattr(view, _PUBLIC, True)
    return view


def is_public(view: Callable[..., Any] | None) -> bool:
    """Whether a view may be asked by anybody."""
    return getattr(view, _PUBLIC, False)


def require_scope(scope: Scope) -> Callable[[_F], _F]:
    """Require a token of that scope for a view. Other views need "read", or "run" if they change anything."""

    def marked(view: _F) -> _F:
        setattr(view, _SCOPE, scope)
        return view

    return marked


def limit_body(most: int) -> Callable[[_F], _F]:
    """Let a view take bodies of so many bytes. Other views take at most :data:`BODY_BYTES`."""

    def marked(view: _F) -> _F:
        setattr(view, _BODY, most)
        return view

    return marked


def get_actor() -> Actor:
    """Return who sent the current request."""
    return cast(Actor, g.actor)


def guard(app: Flask) -> None:
    """Have every request to an application judged, and every answer secured."""

    def judge() -> None:
        _judge(app)
        if request.environ.get(UNREAD, False):
            raise HttpProblem("away", "the server could not tell who sends this: send it again")

    def secure(response: Response) -> Response:
        for name, value in _HEADERS.items():
            response.headers.setdefault(name, value)
        if request.path.startswith(API):
            response.headers.setdefault("Cache-Control", "no-store")
        return response

    app.before_request(judge)
    app.after_request(secure)


def measure_admission(app: Flask, environment: dict[str, Any]) -> int:
    """Return how many bytes of body a request may have; 0 if the request will be refused."""
    here: Backend = app.extensions[NAME]
    seen = environment if here.public is None else here.public.seen(environment)
    with app.request_context(seen):
        try:
            return _judge(app)
        except (HttpProblem, DisnplbmError):
            return 0


def still_allowed() -> Callable[[], bool]:
    """A function that says, while the current request is answered, whether its sender may still ask for it."""
    here, given, cookie, scope = backend(), request.headers.get("Authorization"), request.cookies.get(COOKIE), _scope()

    def allowed() -> bool:
        try:
            found = _find_actor(here, given, cookie)
        except DatabaseAway:
            # The answer tells nothing meanwhile: all that it could tell is in the database.
            return True
        except HttpProblem:
            return False
        return found is not None and SCOPES.index(found.scope) >= SCOPES.index(scope)

    return allowed


def _judge(app: Flask) -> int:
    """Judge the current request; the most bytes that its body may have.

    Raises
    ------
    Problem
        The request is refused.
    """
    view = app.view_functions.get(request.endpoint or "")
    most: int = getattr(view, _BODY, TAKEN_FROM_ANYBODY if is_public(view) else BODY_BYTES)
    if request.path.startswith(API) or request.path == METRICS:
        _check_origin()
        if not is_public(view):
            g.actor = _authenticate()
            scope = _scope(view)
            if SCOPES.index(g.actor.scope) < SCOPES.index(scope):
                raise HttpProblem(
                    "forbidden", f"this needs a token of scope {scope}, and {g.actor.name} has {g.actor.scope}"
                )
    if (request.content_length or 0) > most:
        raise HttpProblem("too-large", f"the body has {request.content_length} bytes, and may have {most} here")
    request.max_content_length = most
    return most


def _scope(view: Callable[..., Any] | None = None) -> Scope:
    """The scope that the current request needs."""
    scope: Scope = getattr(view, _SCOPE, "read" if request.method in _SAFE else "run")
    return scope


def _authenticate() -> Actor:
    """Find the token, session or person behind a request."""
    found = _find_actor(backend(), request.headers.get("Authorization"), request.cookies.get(COOKIE))
    if found is None:
        raise _unauthorized("send a token: Authorization: Bearer ...; `disnplbm token create` makes one")
    if found is LOCAL:
        _check_local()
    return found


def _find_actor(here: Backend, given: str | None, cookie: str | None) -> Actor | None:
    """Find who shows this header or this cookie; None if neither is there, or the cookie is not valid."""
    tokens = here.tokens
    if given is not None:
        kind, _, secret = given.partition(" ")
        token = tokens.find(secret.strip()) if kind.lower() == "bearer" else None
        if token is None:
            raise _unauthorized("this token is unknown, expired or revoked")
        return Actor(token.name, token.scope)
    if cookie is not None:
        token = tokens.find_session(cookie)
        if token is not None:
            return Actor(token.name, token.scope)
    return LOCAL if here.loopback and not tokens.any() else None


def _unauthorized(detail: str) -> HttpProblem:
    return HttpProblem("unauthorized", detail, **{"WWW-Authenticate": "Bearer"})


def _check_local() -> None:
    """Refuse a request through a proxy, and a page of another site whose name was made to point at this machine."""
    if any(name in request.headers for name in _PROXIED):
        raise HttpProblem(
            "cross-origin",
            "without a token this is for this machine only, and the request came through a proxy: set"
            " DISNPLBM_PUBLIC_URL and create a token",
        )
    if _host(f"//{request.host}") not in LOOPBACK:
        raise HttpProblem("cross-origin", "without a token this is for 127.0.0.1 and localhost only: create a token")


def _check_origin() -> None:
    """Refuse what a page of another site sends; scripts and programs send no such headers."""
    origin = request.headers.get("Origin")
    site = request.headers.get("Sec-Fetch-Site", "none")
    if origin is not None and origin.lower() != _own_origin():
        public = backend().public
        advice = (
            "behind a proxy, set DISNPLBM_PUBLIC_URL to the address that browsers use"
            if public is None
            else f"open them at {public.url}"
        )
        raise HttpProblem("cross-origin", f"pages of {origin[:100]} may not use this server; {advice}")
    if site not in ("none", "same-origin"):
        raise HttpProblem("cross-origin", "pages of other sites may not use this server")


def _own_origin() -> str:
    """What browsers call the server's own pages."""
    return f"{request.scheme}://{request.host.lower().removesuffix(_PORTS.get(request.scheme, ''))}"


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None
