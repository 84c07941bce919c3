"""Run experiments and write their pages in docs/results: ``python -m benchmarks.studies [NAME ...]``."""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path

from benchmarks.studies import (
    arrival,
    at_scale,
    cells,
    consensus,
    counts,
    coverage,
    explained,
    held_out,
    levels,
    mixing,
    published,
    responses,
    sensitivity,
    simulation_based,
    starts,
    synthetic,
    table1,
    table1_posterior,
    transforms,
    vector_cells,
    votes,
)
from disnplbm.algorithm import ALGORITHM_VERSION
from disnplbm.kernels import baseline

TARGET = Path(__file__).resolve().parents[2] / "docs" / "results"

#: Modules with a ``section()`` each; a page is named like its module.
STUDIES = {
    module.__name__.rpartition(".")[2].replace("_", "-"): module
    for module in (
        synthetic,
        published,
        arrival,
        mixing,
        starts,
        consensus,
        table1,
        table1_posterior,
        held_out,
        sensitivity,
        simulation_based,
        coverage,
        explained,
        cells,
        vector_cells,
        transforms,
        counts,
        levels,
        votes,
        at_scale,
        responses,
    )
}

HEAD = """*Written by `python -m benchmarks.studies {name}` in {minutes:.0f} minutes, from the data sets in
`../shared/data` and the generators in `benchmarks/studies`. Algorithm version {version}, CPU baseline {baseline}: on
that baseline all but the seconds repeats to the last digit. [All results](../results.md).*

"""


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(STUDIES)}; default: all")
    names = [name.replace("_", "-") for name in parser.parse_args().names] or list(STUDIES)
    unknown = sorted(set(names) - set(STUDIES))
    if unknown:
        parser.error(f"there is no study {unknown[0]}; choose from {', '.join(STUDIES)}")
    TARGET.mkdir(exist_ok=True)
    for name in names:
        print(f"{name} ...", flush=True)
        began = time.perf_counter()
        text = STUDIES[name].section()
        minutes = (time.perf_counter() - began) / 60
        head = HEAD.format(name=name, minutes=max(minutes, 1), version=ALGORITHM_VERSION, baseline=baseline())
        page = TARGET / f"{name}.md"
        page.write_text(with_title(text, head) + "\n", encoding="utf-8")
        print(page)


def with_title(section: str, head: str) -> str:
    """The page of a study: the heading of its section is the title, the head comes next, and headings below move up."""
    title, _, body = re.sub(r"^#(#+ )", r"\1", section, flags=re.MULTILINE).partition("\n")
    return f"{title}\n\n{head}{body.lstrip()}"


if __name__ == "__main__":
    main()
