"""Tokens of the API and the browser sessions that they open; only digests of their secrets are kept."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, get_args

from sqlalchemy import delete, select, update
from sqlalchemy.exc import IntegrityError

from disnplbm.errors import InputError
from disnplbm.runs.database.changes import execute_counted
from disnplbm.runs.database.models import BrowserSession, Token
from disnplbm.runs.part import Part, now

Scope = Literal["read", "run", "admin"]

#: Each may do what those before it may.
SCOPES: tuple[Scope, ...] = get_args(Scope)

#: How long a browser need not show its token again.
SESSION = timedelta(hours=12)

_BEGINNING = "dnp_"
_BYTES = 32
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_SECRET = re.compile(r"[A-Za-z0-9_-]{32,}")


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """A token, without its secret.

    Parameters
    ----------
    name : str
        Who it is for; the actor of the events that it causes.
    scope : {"read", "run", "admin"}
    """

    name: str
    scope: Scope
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None

    @property
    def state(self) -> Literal["valid", "expired", "revoked"]:
        """Whether it can be used now."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now() else "valid"


class TokenStore(Part):
    """Tokens and sessions."""

    def any(self) -> bool:
        """Whether a token was ever made, even if it is expired or revoked by now."""
        with self._database.reading() as session:
            return session.scalars(select(Token.name).limit(1)).one_or_none() is not None

    def create(self, name: str, scope: Scope, lifetime: timedelta | None) -> str:
        """Make a token.

        Parameters
        ----------
        name : str
            No other has or had it.
        scope : {"read", "run", "admin"}
        lifetime : timedelta, optional
            It does not expire by default.

        Returns
        -------
        str
            The secret, which cannot be found out again.

        Raises
        ------
        InputError
            The name is taken, or is none.
        """
        if not _NAME.fullmatch(name):
            raise InputError(f"{name!r} is no name of a token: use up to 64 letters, digits and . _ @ -")
        secret, created = _BEGINNING + secrets.token_urlsafe(_BYTES), now()
        expires = None if lifetime is None else created + lifetime
        row = Token(name=name, digest=_digest(secret), scope=scope, created_at=created, expires_at=expires)
        try:
            with self._database.session() as session:
                session.add(row)
        except IntegrityError as error:
            raise InputError(f"there is or was a token {name}: choose another name") from error
        return secret

    def put(self, name: str, scope: Scope, secret: str) -> bool:
        """Have a token of a secret that was made elsewhere, so that it can be in a file before there is a database.

        Parameters
        ----------
        scope : {"read", "run", "admin"}
        secret : str
            At least 32 letters, digits, - and _.

        Returns
        -------
        bool
            False if that is how it was.

        Raises
        ------
        InputError
            The name is none or was revoked, or the secret is too simple or another token's.
        """
        if not _NAME.fullmatch(name):
            raise InputError(f"{name!r} is no name of a token: use up to 64 letters, digits and . _ @ -")
        if not _SECRET.fullmatch(secret):
            raise InputError(f"the secret of token {name} is too simple: give 32 or more letters, digits, - and _")
        wanted = {"digest": _digest(secret), "scope": scope}
        try:
            with self._database.session() as session:
                row = session.get(Token, name, with_for_update=True)
                if row is None:
                    session.add(Token(name=name, created_at=now(), **wanted))
                    return True
                if row.revoked_at is not None:
                    raise InputError(f"token {name} was revoked: choose another name")
                if (row.digest, row.scope) == (wanted["digest"], wanted["scope"]):
                    return False
                row.digest, row.scope = wanted["digest"], wanted["scope"]
                session.execute(delete(BrowserSession).where(BrowserSession.token == name))
                return True
        except IntegrityError as error:
            raise InputError(f"token {name} cannot have the secret of another: make one of its own") from error

    def list(self) -> list[TokenRecord]:
        """All tokens, the oldest first."""
        with self._database.reading() as session:
            return [_record(row) for row in session.scalars(select(Token).order_by(Token.created_at, Token.name))]

    def revoke(self, name: str) -> None:
        """Make a token useless at once, and the sessions that it opened; InputError if there is none to revoke."""
        with self._database.session() as session:
            valid = (Token.name == name, Token.revoked_at.is_(None))
            if execute_counted(session, update(Token).where(*valid).values(revoked_at=now())) != 1:
                raise InputError(f"there is no token {name} to revoke; `disnplbm token list` lists them")
            session.execute(delete(BrowserSession).where(BrowserSession.token == name))

    def find(self, secret: str) -> TokenRecord | None:
        """The token of a secret, if it can be used."""
        with self._database.reading() as session:
            row = session.scalars(select(Token).where(Token.digest == _digest(secret))).one_or_none()
            return None if row is None else _usable(_record(row))

    def open_session(self, name: str) -> str:
        """Let a browser use a token without showing it; what the browser is to keep."""
        cookie = secrets.token_urlsafe(_BYTES)
        with self._database.session() as session:
            session.execute(delete(BrowserSession).where(BrowserSession.expires_at <= now()))
            session.add(BrowserSession(digest=_digest(cookie), token=name, expires_at=now() + SESSION))
        return cookie

    def find_session(self, cookie: str) -> TokenRecord | None:
        """The token that opened a session, if both are good."""
        query = (
            select(Token)
            .join(BrowserSession, BrowserSession.token == Token.name)
            .where(BrowserSession.digest == _digest(cookie), BrowserSession.expires_at > now())
        )
        with self._database.reading() as session:
            row = session.scalars(query).one_or_none()
            return None if row is None else _usable(_record(row))

    def close_session(self, cookie: str) -> None:
        """End a session."""
        with self._database.session() as session:
            session.execute(delete(BrowserSession).where(BrowserSession.digest == _digest(cookie)))


def _record(row: Token) -> TokenRecord:
    scope = next(scope for scope in SCOPES if scope == row.scope)
    return TokenRecord(row.name, scope, row.created_at, row.expires_at, row.revoked_at)


def _usable(record: TokenRecord) -> TokenRecord | None:
    return record if record.state == "valid" else None


def _digest(secret: str) -> str:
    # Secrets are random and long, so that no slow hash is needed.
    return hashlib.sha256(secret.encode()).hexdigest()
