"""Write docs/cli.md from what the commands say of themselves: ``make generated``."""

from __future__ import annotations

from pathlib import Path

import click

from disnplbm.cli.main import cli

TARGET = Path(__file__).with_name("cli.md")

INTRODUCTION = """# Command line

`make generated` writes this page from the commands' own help.

Every command ends with one of these exit codes: 0 done, 1 failed while running, 2 wrong usage or input, 130 interrupted
(what was done is kept). An error is one line on stderr: what is wrong, where, and what to do. Progress bars appear on a
terminal only. `--json` prints one object on stdout and nothing else.

The commands from `submit` on are for runs on a server or a cluster:

- With `--server URL`, or DISNPLBM_SERVER, they use the [HTTP API](http-api.md) of a `disnplbm serve`. They need only the
  plain package. The token is in DISNPLBM_TOKEN, and nowhere on the command line. When a connection breaks, they wait for up
  to two minutes, and uploads and downloads continue where they were.
- Without a server they use the cluster's database and object storage. This needs `pip install 'disnplbm[cluster]'`.
  Environment variables say where these are ([settings](settings.md)).

Name a run by its id, or by the first four or more characters of it.

## A run folder

| file | what is in it |
|---|---|
| `rows.csv`, `columns.csv` | `id,label` in the order of the file (ids may repeat); label 0 is the largest cluster; with draws also `confidence`: the probability of being together with another member of the cluster, and if the draws hold a second answer its labels, `runner_up`; where an axis has more than 24 clusters also `level`: the cluster at the level that is shown first, or -1 for what is set aside there; with known classes also `known_class`, blank where it is not known |
| `blocks.csv` | `k,l,rows,columns,cells,mean,sd` of each block (`mean_0`, `sd_0`, ... with several numbers a cell), after the transform; `skewness`, `kurtosis` (in excess of the normal's 3) and `ppc`, a posterior predictive p-value of both, blank below 20 cells; with draws also `mean_posterior,mean_low,mean_high,sd_posterior,sd_low,sd_high`: posterior means and 95 % intervals. Of counts `total`, `rate` (how many times the expected count; without exposure the mean count), `dispersion` (how many times as much as Poisson counts they vary) and `ppc` (how likely chance takes Poisson counts as far; blank below 20 cells, or 20 counted), of 0/1 `share` of ones, of categories `share_0`, `share_1`, ... in the order of `data.categories` in run.json (of two categories the share of the second; of words `share_red` and so on), in place of mean, standard deviation and checks |
| `trace.csv` | `iteration,log_joint,row_clusters,column_clusters,seconds,alpha,beta,chain` |
| `draws.npz` | the kept draws, with `--burn-in` or `--draws`; `disnplbm.posterior.draw_store.open_draws` reads them one by one |
| `similarity.npz` | with draws: `rows` and `columns`, number of the `draws` in which two of them are together (up to 5,000 items), and `row_clusters`, `column_clusters`, the mean share for members of two clusters; `numpy.load` reads it |
| `tree.npz` | the trees of row and of column clusters, for `disnplbm cut` and `scipy.cluster.hierarchy` (`rows`, `columns`), with the statistics of the blocks; not there with more than 2,000 clusters |
| `run.json` | parameters, versions, hash of the cells, seed, timings, memory, scores, warnings, digest of labels and trace; `log_joint` belongs to the reported partitions, which `estimate` names, and `last_log_joint` to the last state of each chain |
| `report.html` | the report, one file without links to anything |
| `heatmap.npz` | what the report's picture is drawn from |
| `.disnplbm/` | shards, request and checkpoint, only while the run is under way |

Names in these tables are exactly as in the data, so that programs find them again. A spreadsheet takes a cell that begins
with `=`, `+`, `-` or `@` for a formula, and may run it. This matters if the data come from somebody else. The button "for
a spreadsheet" on the page of a run, and `?spreadsheet=1` in the address of a download, give the same tables with an
apostrophe before such names, which makes them text. Numbers stay as they are.
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
