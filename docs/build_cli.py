"""Write docs/cli.md from what the commands say of themselves: ``make docs``."""

from __future__ import annotations

from pathlib import Path

import click

from disnplbm.cli.main import cli

TARGET = Path(__file__).with_name("cli.md")

INTRODUCTION = """# Command line

Written by `make docs` from the commands' own help.

Exit codes: 0 done, 1 failed while running, 2 wrong usage or input, 130 interrupted (what was done is kept). Errors are
one line on stderr: what is wrong, where, and how to mend it. Progress bars appear on a terminal only; `--json` prints
one object on stdout and nothing else.

Commands from `submit` on are for runs elsewhere. With `--server URL`, or DISNPLBM_SERVER, they ask the API of a
`disnplbm serve`, which needs nothing but this package; the token is in DISNPLBM_TOKEN, and nowhere on the command line.
Connections that break are waited for, for two minutes, and uploads and downloads go on where they were. Without a
server they ask the cluster's database and object storage, which needs `pip install 'disnplbm[cluster]'`; where those
are they take from environment variables ([settings.md](settings.md)). A run is named by its id or by the first four or
more characters of it.

## A run folder

| file | what is in it |
|---|---|
| `rows.csv`, `columns.csv` | `id,label` in the order of the file (ids may repeat); label 0 is the largest cluster; with draws also `confidence`: the probability of being together with another member of the cluster, and if the draws hold a second answer its labels, `runner_up` |
| `blocks.csv` | `k,l,rows,columns,cells,mean,sd` of each block (`mean_0`, `sd_0`, ... with several numbers a cell), after the transform; `skewness`, `kurtosis` (in excess of the normal's 3) and `ppc`, a posterior predictive p-value of both, blank below 20 cells; with draws also `mean_posterior,mean_low,mean_high,sd_posterior,sd_low,sd_high`: posterior means and 95 % intervals |
| `trace.csv` | `iteration,log_joint,row_clusters,column_clusters,seconds,alpha,beta,chain` |
| `draws.npz` | the kept draws, with `--burn-in` or `--draws`; `disnplbm.posterior.draw_store.open_draws` reads them one by one |
| `similarity.npz` | with draws: `rows` and `columns`, number of the `draws` in which two of them are together (up to 5,000 items), and `row_clusters`, `column_clusters`, the mean share for members of two clusters; `numpy.load` reads it |
| `run.json` | parameters, versions, hash of the cells, seed, timings, memory, scores, warnings, digest of labels and trace; `log_joint` is that of the reported partitions, which `estimate` names, `last_log_joint` that of each chain's last state |
| `report.html` | the report, one file without links to anything |
| `heatmap.npz` | what the report's picture is drawn from |
| `.disnplbm/` | shards, request and checkpoint, only while the run is under way |

Names in these tables are exactly as in the data, so that programs find them again. A spreadsheet takes a cell that
begins with `=`, `+`, `-` or `@` for a formula and may run it, which matters where the data are somebody else's. The
button "for a spreadsheet" of a run's page, and `?spreadsheet=1` at the address of a download, give the same tables with
an apostrophe before such names, which makes them text. Numbers stay as they are.
"""


def text() -> str:
    """The page."""
    parts = [INTRODUCTION]
    context = click.Context(cli, info_name="disnplbm", **cli.context_settings)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        with click.Context(command, info_name=name, parent=context, max_content_width=100, terminal_width=100) as inner:
            parts.append(f"## disnplbm {name}\n\n```\n{command.get_help(inner)}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
