"""Small random tables for the tests of the data part."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray


@st.composite
def tables(draw: st.DrawFn, *, max_dimension: int = 3, missing: bool = True) -> NDArray[np.float64]:
    """Arrays (n, p, d) of ordinary numbers, some cells missing in one component or in all."""
    n, p, d = draw(st.integers(1, 40)), draw(st.integers(1, 12)), draw(st.integers(1, max_dimension))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    values = rng.normal(draw(st.sampled_from([0.0, 1e6])), draw(st.sampled_from([1e-3, 1.0, 50.0])), (n, p, d))
    if missing:
        values[rng.random((n, p)) < draw(st.sampled_from([0.0, 0.1, 0.6]))] = np.nan
        # Some cells that miss one of their numbers, and as many complete ones at least: with fewer it is refused.
        cells = rng.permutation(np.argwhere(~np.isnan(values[:, :, 0])))
        for i, j in cells[: draw(st.integers(0, len(cells) // 2))]:
            values[i, j, rng.integers(d)] = np.nan
    return values


def with_unified_missing(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The same table with every cell that misses a component missing whole."""
    out = values.copy()
    out[np.isnan(values).any(axis=2)] = np.nan
    return out


def write_csv(path: Path, values: NDArray[np.float64], *, missing: str = "", delimiter: str = ",") -> Path:
    """Write an (n, p) table with a header and full precision."""
    lines = [delimiter.join(f"c{j}" for j in range(values.shape[1]))]
    lines += [delimiter.join(missing if np.isnan(v) else repr(float(v)) for v in row) for row in values]
    path.write_text("\n".join(lines) + "\n")
    return path
