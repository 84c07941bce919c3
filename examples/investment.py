"""Write what eleven firms invested in twenty years, as a long table: ``python examples/investment.py investment.csv``.

The data are Grunfeld's, as the package statsmodels carries them: ``python -m pip install statsmodels``.
"""

from __future__ import annotations

import csv
import math
import sys
from importlib.resources import files
from pathlib import Path


def main(target: Path) -> None:
    """Write firm, year, and the logarithms of investment, of the market value and of the capital of the firm."""
    text = files("statsmodels.datasets.grunfeld").joinpath("grunfeld.csv").read_text(encoding="utf-8")
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("firm", "year", "invest", "value", "capital"))
        for line in csv.DictReader(text.splitlines()):
            logs = (round(math.log(float(line[name])), 4) for name in ("invest", "value", "capital"))
            writer.writerow((line["firm"], int(float(line["year"])), *logs))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
