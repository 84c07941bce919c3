"""Run all experiments and write docs/results.md."""

from __future__ import annotations

from pathlib import Path

from benchmarks.studies import published, synthetic, table1
from disnplbm.kernels import ALGORITHM_VERSION, baseline

TARGET = Path(__file__).resolve().parents[2] / "docs" / "results.md"

INTRODUCTION = """# Results

Written by `make studies` (about {minutes} minutes on two cores), from the data sets in `../shared/data` and
generators in `benchmarks/studies`. Algorithm version {version}, CPU baseline {baseline}: on that baseline the figures
repeat to the last digit.
"""


def main() -> None:
    """Run everything."""
    text = [INTRODUCTION.format(minutes=10, version=ALGORITHM_VERSION, baseline=baseline())]
    for part in (synthetic, published, table1):
        print(f"{part.__name__} ...", flush=True)
        text.append(part.section())
    TARGET.write_text("\n".join(text) + "\n", encoding="utf-8")
    print(TARGET)


if __name__ == "__main__":
    main()
