"""Write the wine data that scikit-learn ships as a CSV file: 178 wines x 13 measurements, and the cultivar as class."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from sklearn.datasets import load_wine


def main(path: Path) -> None:
    """Write the file."""
    wine = load_wine()
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["class", *wine.feature_names])
        for values, label in zip(wine.data.tolist(), wine.target.tolist(), strict=True):
            writer.writerow([wine.target_names[label], *values])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
