"""``disnplbm doctor``."""

from __future__ import annotations

import json

import click


@click.command(epilog="Exit codes: 0 all is well, 1 something is not.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(as_json: bool) -> None:
    """Check each service of the cluster, and say what is wrong and how to repair it.

    One line each for the database, the object store, the broker, Redis, the master and the workers, as they are seen
    from here with the settings of the environment.

    \b
    Example:
      DISNPLBM_BROKER_URL=amqp://user:password@queue.example:5672// disnplbm doctor
    """
    from disnplbm.cli.checks import examine
    from disnplbm.settings import settings

    findings = examine(settings())
    if as_json:
        checks = [{"name": found.name, "ok": found.ok, "text": found.text} for found in findings]
        click.echo(json.dumps({"ok": all(found.ok for found in findings), "checks": checks}))
    else:
        for found in findings:
            click.echo(f"{found.name:<9} {'ok   ' if found.ok else 'WRONG'}  {found.text}")
    if not all(found.ok for found in findings):
        click.get_current_context().exit(1)
