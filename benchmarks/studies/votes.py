"""Roll-call votes as 0/1 and as counts: blocks that a person recognises, and how well hidden votes are foreseen."""

from __future__ import annotations

import csv
import gzip
import os
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import sync_playwright

from benchmarks.child import REPOSITORY, run
from benchmarks.studies.data import REAL_DATA
from benchmarks.studies.runs import markdown
from disnplbm import NPLBM

FILE = REAL_DATA / "senate109.csv.gz"

#: Which figure of blocks.csv is shown of each kind of cells, and how.
KINDS = {"binary": ("share", "{:.0%}"), "counts": ("rate", "{:.2f} ×")}

OPTIONS = {
    kind: (
        *("--id-column", "sample", "--row-classes", "class", "--cells", kind),
        *("--burn-in", "200", "--iterations", "400", "--restarts", "10"),
    )
    for kind in KINDS
}
FEW = ("--fix-row-clusters", "4", "--fix-column-clusters", "6")

#: A cluster of so many members is listed by name.
NAMED = 15

#: Parts of the votes that are hidden in turn, to be foreseen.
PARTS = 5

PICTURES = REPOSITORY / "docs" / "images"

INTRODUCTION = f"""## Roll-call votes

102 senators and 645 votes of the 109th Senate of the United States: 1 is yes, 0 is no, and 4.5 % of the cells are
missing, most often because a senator was absent. The fit sees neither parties nor what a vote is about. A table of 0
and 1 can be fitted as *yes or no* (`--cells binary`), where a block has a share of yes, or as *counts*
(`--cells counts`), where a block is compared with what the totals of its senators and its votes let expect.

    disnplbm fit senate109.csv.gz {" ".join(OPTIONS["binary"])} --output all
    disnplbm fit senate109.csv.gz {" ".join((*OPTIONS["binary"], *FEW))} --output few

and the same with `--cells counts`. The first fit says how many clusters the votes tell apart; the second one is told to
make few, which people can look at."""

ADVICE = """### Which to take

- **Take 0/1 for votes.** The share of yes is what one wants to know of a vote, votes on which all agree are a kind of
  their own, and hidden votes are foreseen a little better. The smallest row cluster has the moderates of both parties.
- **Counts see only what differs from the totals.** Votes that nearly all agree on, and votes that most reject, are in
  one cluster, where all is about as expected. What is left are the lines between the groups. That is right for
  purchases, clicks or words, where a total says how active one is. A senator's number of yes votes says no such thing.
- **The check of counts tells.** A cell of 0 or 1 varies less than a Poisson count of the same mean, and the run says so
  of most blocks. There the intervals are too wide.
- `auto` takes this table as 0/1, because more than a tenth of it is 1."""


def section() -> str:
    """The page in docs/results."""
    with gzip.open(FILE, "rt", newline="") as file:
        _, *lines = csv.reader(file)
    names, parties = [line[0] for line in lines], np.array([line[1] for line in lines])
    votes = np.array([[float(cell) if cell else np.nan for cell in line[2:]] for line in lines])
    parts, found = [], []
    with tempfile.TemporaryDirectory() as folder:
        for kind in KINDS:
            fitted = {
                name: _fit(Path(folder) / f"{kind}-{name}", (*OPTIONS[kind], *more))
                for name, more in (("all", ()), ("few", FEW))
            }
            found.append(_row(kind, fitted, votes))
            shutil.copy(_picture(Path(folder) / f"{kind}-few"), PICTURES / f"votes-{kind}.png")
            parts.append(_of_kind(kind, Path(folder) / f"{kind}-few", fitted["few"], names, parties, votes))
    columns = ("cells", "clusters found", "told 4 x 6: ARI with parties", "hidden votes foreseen", "Brier score")
    compared = f"""### In numbers

{markdown(columns, found)}

ARI is low where clusters split a party: parties are not the only groups. A fifth of the votes is hidden in turn from a
fit that is told nothing ({PARTS} fits, 200 iterations, the second half of them draws). A vote is foreseen if its
probability of yes, or its mean count, is on the right side of 0.5. The Brier score is the mean of
(probability - vote)²; lower is better."""
    return "\n\n".join([INTRODUCTION, *parts, compared, ADVICE])


def _fit(folder: Path, options: tuple[str, ...]) -> dict[str, Any]:
    """The record of a run."""
    return run("fit", FILE, *options, "--output", folder, "--json").record()


def _row(kind: str, fitted: dict[str, dict[str, Any]], votes: NDArray[np.float64]) -> list[str]:
    free, few = fitted["all"], fitted["few"]
    right, brier = _foreseen(kind, votes)
    return [
        f"`{kind}`",
        f"{free['row_clusters']} x {free['column_clusters']}",
        f"{few['ari']:.2f}",
        f"{right:.1%}",
        f"{brier:.3f}",
    ]


def _foreseen(kind: str, votes: NDArray[np.float64]) -> tuple[float, float]:
    """Share of hidden votes that are foreseen, and their Brier score."""
    seen = np.argwhere(~np.isnan(votes))
    part = np.random.default_rng(0).permutation(len(seen)) % PARTS
    probability, truth = np.empty(len(seen)), votes[tuple(seen.T)]
    for hidden in range(PARTS):
        there = part == hidden
        table = votes.copy()
        table[tuple(seen[there].T)] = np.nan
        model = NPLBM(200, burn_in=100, cells=kind, random_state=hidden).fit(table)
        probability[there] = np.clip(model.impute(table)[0][tuple(seen[there].T)], 0.0, 1.0)
    return float(((probability > 0.5) == truth).mean()), float(((probability - truth) ** 2).mean())


def _of_kind(
    kind: str,
    folder: Path,
    record: dict[str, Any],
    names: list[str],
    parties: NDArray[np.str_],
    votes: NDArray[np.float64],
) -> str:
    rows, columns = (_labels(folder / name) for name in ("rows.csv", "columns.csv"))
    name, form = KINDS[kind]
    with (folder / "blocks.csv").open(newline="") as file:
        value = {(int(line["k"]), int(line["l"])): float(line[f"{name}_posterior"]) for line in csv.DictReader(file)}
    lines = []
    for label in range(int(columns.max()) + 1):
        here = votes[:, columns == label]
        of_parties = [np.nanmean(here[parties == party]) for party in ("R", "D")]
        cells = [form.format(value[k, label]) for k in range(int(rows.max()) + 1)]
        lines.append([f"{(columns == label).sum()}: {_words(*of_parties)}", *cells])
    head = [f"cluster {k}: {_who(parties[rows == k])}" for k in range(int(rows.max()) + 1)]
    listed = [
        f"Cluster {k}: {', '.join(member for member, label in zip(names, rows, strict=True) if label == k)}."
        for k in range(int(rows.max()) + 1)
        if (rows == k).sum() <= NAMED
    ]
    title = {"binary": "As yes or no: share of yes", "counts": "As counts: how many times the expected number of yes"}
    check = f"\n\nThe run says: *{record['ppc']['sentence']}*" if record["ppc"] else ""
    table = markdown(("votes", *head), lines)
    members = "\n".join(f"- {line}" for line in listed)
    return f"""### {title[kind]}

![The votes sorted by cluster, as {kind}](../images/votes-{kind}.png)

{table}

{members}{check}"""


def _labels(path: Path) -> NDArray[np.int64]:
    with path.open(newline="") as file:
        return np.array([int(line["label"]) for line in csv.DictReader(file)])


def _who(parties: NDArray[np.str_]) -> str:
    of = Counter(parties.tolist())
    words = {"R": "Republican", "D": "Democrat", "Indep": "Independent"}
    return ", ".join(f"{number} {words[party]}{'s' if number > 1 else ''}" for party, number in of.most_common())


def _words(republicans: float, democrats: float) -> str:
    """How the parties vote, of a kind of votes."""
    high, low = 0.75, 0.25
    if min(republicans, democrats) > high:
        return "nearly all say yes"
    if max(republicans, democrats) < 0.5:
        return "most say no"
    if republicans > high:
        return "Republicans yes, Democrats " + ("no" if democrats < low else "divided")
    if democrats > high:
        return "Democrats yes, Republicans " + ("no" if republicans < low else "divided")
    return "both divided"


def _picture(folder: Path) -> Path:
    """The sorted matrix of a report, as chromium shows it."""
    target = folder / "picture.png"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or os.environ["CHROMIUM"], args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1600, "height": 900})
        page.goto((folder / "report.html").resolve().as_uri() + "#theme=light&pixel=cells")
        page.wait_for_selector("[data-view=reordered] .heatmap-box[data-state=ready]")
        page.locator("[data-view=reordered]").screenshot(path=target)
        browser.close()
    return target
