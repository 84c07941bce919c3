"""``disnplbm master``."""

from __future__ import annotations

import click

from disnplbm.cli.interruption import interruption


@click.command()
def master() -> None:
    """Drive the runs of a cluster: publish iterations, join what the workers send, commit.

    Start as many as you like: one is active, the others stand by and take over when it is lost. It is set up by
    environment variables (docs/settings.md); `disnplbm doctor` says what is missing.

    \b
    Example:
        export DISNPLBM_DATABASE_URL=postgresql+psycopg://disnplbm@127.0.0.1/disnplbm
        disnplbm migrate
        disnplbm master
    """
    from disnplbm.messaging.departure import Departure

    interruption.attend(Departure("master"))
    from disnplbm.messaging.logs import configure_logging
    from disnplbm.settings import settings
    from disnplbm_master.service import serve

    configure_logging(settings())
    code = serve(settings())
    if code:
        raise SystemExit(code)
