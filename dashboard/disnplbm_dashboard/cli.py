"""``disnplbm serve`` and ``disnplbm token``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TextIO

import click

#: Where runs are, unless another folder is named.
FOLDER = Path("disnplbm-data")

_folder = click.option(
    "--folder",
    type=click.Path(path_type=Path),
    default=FOLDER,
    show_default=True,
    metavar="DIR",
    help="Where runs and data are kept.",
)

_cluster = click.option(
    "--cluster", is_flag=True, help="Use the cluster that the settings name; the default if DISNPLBM_BROKER_URL is set."
)


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="Port; 0 takes a free one."
)
@_folder
@_cluster
def serve(host: str, port: int, folder: Path, cluster: bool) -> None:
    """Serve the dashboard and its API: submit, watch and compare runs in a browser.

    You need to start nothing else: this process does the runs, and continues them when you start it again. With
    --cluster it shows the runs of a cluster (docs/settings.md) and leaves the work to its workers.

    \b
    Examples:
      disnplbm serve
      disnplbm token create --name ada --scope run && disnplbm serve --host 0.0.0.0
    """
    from disnplbm.messaging.logs import configure_logging
    from disnplbm.settings import settings
    from disnplbm_dashboard import server
    from disnplbm_dashboard.place import open_place

    configure_logging(settings())
    with open_place(folder, cluster=cluster) as place:
        # An IPv6 address may be given as it is shown.
        server.serve(place, host.removeprefix("[").removesuffix("]"), port)


@click.group()
def token() -> None:
    """Make, list and revoke tokens of the API.

    While there is none, `disnplbm serve` answers to this machine only, and to everybody on it.
    """


@token.command()
@click.option("--name", required=True, help="Whom it is for; the actor of the events that it causes.")
@click.option(
    "--scope",
    type=click.Choice(["read", "run", "admin"]),
    default="run",
    show_default=True,
    help="read: look; run: also upload, submit and delete; admin: also list tokens.",
)
@click.option("--expires", metavar="90d", help="In how many hours, days or weeks: 12h, 90d, 4w; never by default.")
@_folder
@_cluster
def create(name: str, scope: str, expires: str | None, folder: Path, cluster: bool) -> None:
    """Make a token and print it, once: only a digest of it is kept.

    \b
    Example:
      disnplbm token create --name ada --scope run --expires 90d
    """
    from disnplbm.lifetimes import parse_lifetime
    from disnplbm_dashboard.place import open_place
    from disnplbm_dashboard.tokens import SCOPES, TokenStore

    lifetime = None if expires is None else parse_lifetime(expires)
    with open_place(folder, cluster=cluster) as place:
        secret = TokenStore(place.database).create(name, SCOPES[SCOPES.index(scope)], lifetime)
        click.echo(secret)


@token.command()
@click.option("--name", required=True, help="Whom it is for; the actor of the events that it causes.")
@click.option("--scope", type=click.Choice(["read", "run", "admin"]), default="run", show_default=True)
@click.argument("file", type=click.File(), default="-")
@_folder
@_cluster
def put(name: str, scope: str, file: TextIO, folder: Path, cluster: bool) -> None:
    """Store a token with the secret in FILE or from standard input: 32 or more letters, digits, - and _.

    For secrets that are kept elsewhere, in a Kubernetes Secret say. A token of that name gets the new secret and scope;
    done again, it changes nothing.

    \b
    Example:
      disnplbm token put --name autoscaler --scope read /run/secrets/autoscaler
    """
    from disnplbm_dashboard.place import open_place
    from disnplbm_dashboard.tokens import SCOPES, TokenStore

    with open_place(folder, cluster=cluster) as place:
        put = TokenStore(place.database).put(name, SCOPES[SCOPES.index(scope)], file.read().strip())
    click.echo(f"token {name} {'is set' if put else 'is as it was'}")


@token.command("list")
@_folder
@_cluster
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def list_tokens(folder: Path, cluster: bool, as_json: bool) -> None:
    """List the tokens, without their secrets."""
    from disnplbm_dashboard.place import open_place
    from disnplbm_dashboard.tokens import TokenStore

    with open_place(folder, cluster=cluster) as place:
        found = TokenStore(place.database).list()
    if as_json:
        rows = [
            {
                "name": one.name,
                "scope": one.scope,
                "state": one.state,
                "created": one.created_at.isoformat(timespec="seconds"),
                "expires": None if one.expires_at is None else one.expires_at.isoformat(timespec="seconds"),
            }
            for one in found
        ]
        click.echo(json.dumps({"tokens": rows}))
        return
    for one in found:
        until = "" if one.expires_at is None else f"  until {one.expires_at:%Y-%m-%d %H:%M} UTC"
        click.echo(f"{one.name:<20} {one.scope:<5}  {one.state}{until}")


@token.command()
@click.argument("name")
@_folder
@_cluster
def revoke(name: str, folder: Path, cluster: bool) -> None:
    """Make a token useless at once; its name stays taken."""
    from disnplbm_dashboard.place import open_place
    from disnplbm_dashboard.tokens import TokenStore

    with open_place(folder, cluster=cluster) as place:
        TokenStore(place.database).revoke(name)
    click.echo(f"token {name} is revoked")
