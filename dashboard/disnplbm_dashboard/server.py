"""The server process: the application behind waitress, and beside it, embedded, the engine."""

from __future__ import annotations

import logging
import socket
import sys
from contextlib import ExitStack
from functools import partial

import click

from disnplbm.cli.interruption import interruption
from disnplbm.client.address import LOOPBACK
from disnplbm.errors import InputError, RunError, first_line
from disnplbm.hosts import host_and_port
from disnplbm.machine import usable_cores
from disnplbm.notes import Hint
from disnplbm.runs.database import Leadership
from disnplbm_dashboard.app import create_app
from disnplbm_dashboard.backend import Backend
from disnplbm_dashboard.connections import CONNECTIONS, CONNECTIONS_OF_ONE, Server
from disnplbm_dashboard.embedded.runner import Runner
from disnplbm_dashboard.housekeeping import Housekeeper
from disnplbm_dashboard.place import Place
from disnplbm_dashboard.security import measure_admission
from disnplbm_dashboard.web import are_built

#: Seconds that a thread computes, a picture say, before another one gets its turn: an answer takes many turns, since
#: each row that the database gives is one.
_TURN = 0.0005


def serve(place: Place, host: str, port: int) -> None:
    """Serve until the process is told to stop.

    Parameters
    ----------
    port : int
        0 takes a free one.

    Raises
    ------
    InputError
        The address cannot be had, or is open to others while there is no token.
    RunError
        Another server works in the folder.
    """
    loopback = host in LOOPBACK
    with ExitStack() as stack:
        runner = None
        if place.embedded:
            leadership = stack.enter_context(Leadership(place.database))
            if not leadership.acquire():
                raise RunError(
                    "another `disnplbm serve` or master works on these runs: stop it, or name another ", Hint("folder")
                )
            runner = Runner(
                place.database, place.store, usable_cores(), place.settings.inline_bytes, place.settings.attempts
            )
        backend = Backend.of(place.settings, place.database, place.store, runner=runner, loopback=loopback)
        if backend.public is not None and not backend.tokens.any():
            raise InputError(
                "DISNPLBM_PUBLIC_URL opens this server to others, so it needs a token: make one first (disnplbm token"
                " create ",
                Hint("name", "NAME"),
                " ",
                Hint("scope", "admin"),
                "), or unset it",
            )
        if not loopback and not backend.tokens.any():
            raise InputError(
                f"without a token only this machine may be served, and {host} is open to others: make a token first"
                " (disnplbm token create ",
                Hint("name", "NAME"),
                " ",
                Hint("scope", "admin"),
                "), or leave ",
                Hint("host"),
                " out",
            )
        _serve(backend, host, port)


def _serve(backend: Backend, host: str, port: int) -> None:
    sys.setswitchinterval(_TURN)
    # Of clients that leave, and of those that wait for a thread, which is no fault.
    logging.getLogger("waitress").setLevel(logging.WARNING)
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    listening = _listen(host, port)
    app = create_app(backend)
    # Behind a proxy all come from one address.
    of_one = CONNECTIONS_OF_ONE if backend.public is None else CONNECTIONS
    server = Server(app, partial(measure_admission, app), listening, of_one)
    housekeeper = Housekeeper(backend)
    # Streams have no end of their own, and the server waits for them.
    with interruption.serving(backend.tailer.stop):
        click.echo(f"disnplbm is at http://{host_and_port(host, listening.getsockname()[1])}")
        if backend.public is not None:
            click.echo(f"browsers find it at {backend.public.url}")
        if not are_built():
            click.echo(
                "disnplbm: the pages are not built, only the API is here: build them with `make pages`", err=True
            )
        if sys.stdout.isatty():
            click.echo("press Ctrl-C to stop; runs continue when it is started again")
        try:
            backend.tailer.start()
            housekeeper.start()
            if backend.runner is not None:
                backend.runner.start()
            # Returns at an interrupt.
            server.run()
        finally:
            housekeeper.stop()
            if backend.runner is not None:
                backend.runner.stop()
            backend.preflights.close()
            server.close()


def _listen(host: str, port: int) -> socket.socket:
    """Open a socket at an address; InputError if the address cannot be used."""
    try:
        return socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except (OSError, UnicodeError) as error:
        # Python appends the address in its own notation.
        reason = (getattr(error, "strerror", None) or first_line(error)).partition(" (while")[0]
        raise InputError(
            f"cannot listen on {host_and_port(host, port)}: {reason}; choose another ",
            Hint("host"),
            " or ",
            Hint("port"),
        ) from error
