"""What ``fit`` and ``resume`` share: run a prepared folder and say what came out."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from disnplbm.bars import Bars
from disnplbm.cell_types import DENSE, cell_type_of
from disnplbm.cli.flags import flag, say_notes
from disnplbm.cli.interruption import interruption
from disnplbm.described import check
from disnplbm.machine import usable_cores
from disnplbm.notes import from_plain, plural
from disnplbm.posterior.result import ESTIMATES
from disnplbm.report.page import NOT_BUILT
from disnplbm.report.wording import answers, badge, no_draws

if TYPE_CHECKING:
    from disnplbm.engine.folder import RunFolder

#: Chains whose answers are listed, and row clusters that are explained.
MOST_CHAINS, MOST_EXPLAINED = 8, 6


def thread_count(given: int | None) -> int:
    """``--threads N``, or the default."""
    if given is None:
        return usable_cores()
    check("threads", given)
    return given


def execute(folder: RunFolder, threads: int, bars: Bars, memory: int | None) -> dict[str, Any]:
    """Run a prepared folder to its end within some bytes of memory, with bars, stoppable by signal."""
    from disnplbm.engine.fit import run

    return run(folder, threads, bars, interruption.stop_softly, memory=memory)


def report_of(folder: Path) -> str:
    """Where the report of a run folder is, or how to get it."""
    path = folder / "report.html"
    if path.is_file():
        return str(path)
    return f"not written, {NOT_BUILT}, and then `{shlex.join(['disnplbm', 'report', str(folder)])}` writes the report"


def show(record: dict[str, Any], report: str, *, as_json: bool) -> None:
    """Print the outcome of a run; ``report`` says where its report is, or how to get it."""
    if as_json:
        click.echo(json.dumps(record | record.get("scores", {})))
        return
    shape = f"{record['rows']:,} x {record['columns']:,}"
    if record["dimension"] > 1:
        shape += f" x {record['dimension']}"
    lines = [
        ("data", f"{record['name']}, {shape}"),
        ("clusters", _clusters(record)),
        ("log joint", f"{record['log_joint']:,.1f}"),
    ]
    lines += _parts(record.get("parts", []))
    if "level" in record:
        lines.append(("level", record["level"]["sentence"]))
    lines += _profiles(record.get("profiles", []))
    if "restarts" in record:
        lines.append(("start", f"{record['restarts']['kept']}, {record['restarts']['iterations']} iterations each"))
    if "posterior" in record:
        lines.append(("posterior", _posterior(record)))
        lines.append(("chains", record["diagnosis"]["sentence"]))
        if record["posterior"]["shown"]:
            lines.append(("result", record["posterior"]["shown"]))
        if record["verdict"]["kind"] == "stuck":
            found = answers(record["posterior"])
            lines += [(f"  chain {chain}", text) for chain, text in enumerate(found[:MOST_CHAINS])]
            if len(found) > MOST_CHAINS:
                lines.append(("", f"and {len(found) - MOST_CHAINS:,} more chains: posterior.answers in run.json"))
    else:
        lines.append(("chains", no_draws(record["chains"]).said(flag)))
    ppc = record["ppc"] or {}
    if ppc.get("not_normal") or ppc.get("not_poisson"):
        lines.append(("blocks", record["ppc"]["sentence"]))
    scores = record.get("scores", {})
    for prefix, noun in (("", "rows"), ("column_", "columns")):
        if f"{prefix}ari" in scores:
            ari, nmi = scores[f"{prefix}ari"], scores[f"{prefix}nmi"]
            lines.append((noun, f"ARI {ari:.2f}  NMI {nmi:.2f} against the known classes"))
    per_iteration = f"{1000 * record['seconds_per_iteration']:,.1f} ms an iteration"
    lines.append(("seconds", f"{record['seconds']:.2f} for {record['iterations']} iterations, {per_iteration}"))
    lines.append(("report", report))
    for name, text in lines:
        click.echo(f"{name:<10} {text}")
    say_notes(notes_of(record))


def notes_of(record: dict[str, Any]) -> list[str]:
    """The notes of a run; one from before they were data has their texts alone."""
    return [from_plain(note) for note in record.get("notes", record["warnings"])]


def _clusters(record: dict[str, Any]) -> str:
    doubt = badge(record["verdict"])
    return f"{record['row_clusters']} x {record['column_clusters']} (rows x columns){f', {doubt}' if doubt else ''}"


def _parts(parts: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """What the columns of each part are, and how many clusters they have."""
    lines, first = list[tuple[str, str]](), 0
    for part in parts:
        noun = "real numbers" if part["cells"] == DENSE else cell_type_of(part["cells"]).noun
        last = first + part["column_clusters"] - 1
        clusters = f"column cluster {first}" if first == last else f"column clusters {first} to {last}"
        lines.append(("columns" if not lines else "", f"{plural(part['columns'], 'column')} of {noun}: {clusters}"))
        first = last + 1
    return lines


def _profiles(profiles: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """What makes each of the largest row clusters."""
    if len(profiles) < 2:
        return []
    shown, more = profiles[:MOST_EXPLAINED], len(profiles) - MOST_EXPLAINED
    lines = [(f"cluster {each['cluster']}", f"{plural(each['size'], 'row')}; {each['told']}") for each in shown]
    return lines if more < 1 else [*lines, ("", f"and {plural(more, 'smaller cluster')}: see the report")]


def _posterior(record: dict[str, Any]) -> str:
    posterior = record["posterior"]
    numbers, sure, draws = posterior["both"], posterior["mean_confidence"], posterior["draws"]
    best = ", ".join(f"{name} in {share:.0%}" for name, share in list(numbers.items())[:3])
    return (
        f"{best} of {plural(draws, 'draw')}; row labels of the {ESTIMATES[record['estimate']]} are {sure['rows']:.0%}"
        f" certain on average, column labels {sure['columns']:.0%}"
    )
