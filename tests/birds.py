"""A small table of birds: numbers, counts, yes and no, and categories, with missing cells."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

#: Its columns by the kind that they are taken as.
KINDS = {
    "gaussian": ["bill", "flipper", "mass"],
    "binary": ["sex", "ringed"],
    "counts": ["eggs"],
    "categorical": ["island", "origin", "food"],
}

ISLANDS, FOODS = ["east", "north", "south"], ["fish", "krill", "squid"]


def birds(rows: int = 60) -> pd.DataFrame:
    """A frame, indexed by the names of the birds."""
    rng = np.random.default_rng(11)
    kind = np.arange(rows) % 3
    frame = pd.DataFrame(
        {
            "island": np.array(ISLANDS)[(kind + (rng.random(rows) < 0.2)) % 3],
            "bill": (38.0 + 5.0 * kind + rng.normal(size=rows)).round(1),
            "flipper": (190 + 10 * kind + rng.integers(-5, 6, rows)).astype(float),
            "mass": (3700.0 + 600.0 * kind + 200.0 * rng.normal(size=rows)).round(0),
            "sex": np.where(rng.random(rows) < 0.5, "male", "female"),
            "origin": np.array(ISLANDS)[rng.integers(0, 3, rows)],
            "eggs": rng.poisson(0.5, rows),
            "ringed": rng.integers(0, 2, rows),
            "food": np.array(FOODS)[(kind + (rng.random(rows) < 0.3)) % 3],
        },
        index=pd.Index([f"bird {i}" for i in range(rows)], name="bird"),
    )
    frame.loc["bird 3", ["bill", "sex"]] = None
    frame.loc["bird 7", "food"] = None
    return frame


def save(frame: pd.DataFrame, path: Path) -> Path:
    """Write a frame as a CSV or parquet file, with its index."""
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path)
    return path
