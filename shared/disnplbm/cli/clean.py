"""``disnplbm clean``."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import click


@click.command()
@click.option("--runs-older-than", metavar="90d", help="Also delete runs that succeeded or were cancelled before that.")
@click.option("--datasets-older-than", metavar="90d", help="Also delete datasets that no run uses, made before that.")
@click.option(
    "--objects-older-than", default="7d", show_default=True, metavar="7d", help="Leave younger objects alone."
)
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    runs_older_than: str | None, datasets_older_than: str | None, objects_older_than: str, dry_run: bool, as_json: bool
) -> None:
    """Remove what nobody needs any more: abandoned uploads, objects that no run or dataset names, labels and statistics
    of iterations that no run goes back to.

    Runs and datasets stay, unless their ages are given. Run it every day; everything else may stay up. Times are
    hours, days or weeks: 12h, 90d, 4w.

    \b
    Examples:
      disnplbm clean --dry-run
      disnplbm clean --runs-older-than 26w --datasets-older-than 26w
    """
    from disnplbm.lifetimes import parse_lifetime
    from disnplbm.objects import open_store
    from disnplbm.runs.cleaning import find_litter, old_datasets, old_runs
    from disnplbm.runs.database import Database
    from disnplbm.runs.partial import PartialUploads
    from disnplbm.runs.service import RunService
    from disnplbm.settings import settings

    ages = [None if text is None else parse_lifetime(text) for text in (runs_older_than, datasets_older_than)]
    database, store = Database(settings().database_url), open_store(settings().store_url)
    removal = _Removal(dry_run=dry_run, as_json=as_json)
    try:
        database.check_version()
        service, uploads = RunService(database, store), PartialUploads(database, store)
        for upload in uploads.list_abandoned():
            removal.do("abandoned", f"upload {upload}", partial(uploads.abandon, upload))
        for run in () if ages[0] is None else old_runs(database, ages[0]):
            removal.do("over for long", f"run {run}", partial(service.delete, run, "clean", "old"))
        for dataset in () if ages[1] is None else old_datasets(database, ages[1]):
            delete = partial(service.delete_dataset, dataset, "clean", "old")
            removal.do("old, and no run uses it", f"dataset {dataset}", delete)
        for found in find_litter(database, store, parse_lifetime(objects_older_than)):
            numbers = {"objects": len(found.keys), "bytes": found.bytes}
            removal.do(found.why, found.prefix, partial(store.delete, found.keys), **numbers)
    finally:
        database.close()
    if as_json:
        click.echo(json.dumps({"dry_run": dry_run, "removed": removal.said}))
    elif not removal.said:
        click.echo("nothing to remove")


class _Removal:
    """Removes one thing after another, or with ``dry_run`` only says so."""

    def __init__(self, *, dry_run: bool, as_json: bool) -> None:
        self.said: list[dict[str, Any]] = []
        self._dry_run, self._as_json = dry_run, as_json

    def do(self, why: str, what: str, remove: Callable[[], object], **numbers: int) -> None:
        """Remove one thing; its numbers say how large it is."""
        if not self._dry_run:
            remove()
        self.said.append({"why": why, "what": what, **numbers})
        if not self._as_json:
            shown = "".join(f"  {number:,} {name}" for name, number in numbers.items())
            click.echo(f"{'would remove' if self._dry_run else 'removed'}  {what:<40}  {why}{shown}")
