"""``disnplbm clean``."""

from __future__ import annotations

import json
from collections.abc import Iterable
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
    said: list[dict[str, Any]] = []

    def say(why: str, what: str, **numbers: int) -> None:
        said.append({"why": why, "what": what, **numbers})
        if not as_json:
            shown = "".join(f"  {number:,} {name}" for name, number in numbers.items())
            click.echo(f"{'would remove' if dry_run else 'removed'}  {what:<40}  {why}{shown}")

    def each(why: str, kind: str, ids: Iterable[str], remove: Any) -> None:
        for one in ids:
            if not dry_run:
                remove(one)
            say(why, f"{kind} {one}")

    try:
        database.check_version()
        service, uploads = RunService(database, store), PartialUploads(database, store)
        each("abandoned", "upload", uploads.list_abandoned(), uploads.abandon)
        if ages[0] is not None:
            each("over for long", "run", old_runs(database, ages[0]), lambda run: service.delete(run, "clean", "old"))
        if ages[1] is not None:
            each(
                "old, and no run uses it",
                "dataset",
                old_datasets(database, ages[1]),
                lambda dataset: service.delete_dataset(dataset, "clean", "old"),
            )
        for found in find_litter(database, store, parse_lifetime(objects_older_than)):
            if not dry_run:
                store.delete(found.keys)
            say(found.why, found.prefix, objects=len(found.keys), bytes=found.bytes)
    finally:
        database.close()
    if as_json:
        click.echo(json.dumps({"dry_run": dry_run, "removed": said}))
    elif not said:
        click.echo("nothing to remove")
