"""Responses on workers: the same bits as the local engine's, with most cells missing, over rows and over columns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from disnplbm.engine.options import Options

from .test_sweep import compare_with_local_engine


@pytest.mark.parametrize("axis", ["rows", "columns"])
def test_workers_come_to_the_same_bits(tmp_path: Path, axis: str) -> None:
    rng = np.random.default_rng(0)
    of_cells = rng.normal(size=(36, 15))
    responses = np.where(np.arange(36)[:, None] % 2, of_cells, -of_cells) + 0.3 * rng.normal(size=(36, 15))
    responses[rng.random((36, 15)) < 0.6] = np.nan
    cells = np.stack([responses, np.where(np.isnan(responses), np.nan, of_cells)], axis=-1)
    compare_with_local_engine(tmp_path, Options(iterations=6, cells="responses", seed=5), axis, values=cells)
