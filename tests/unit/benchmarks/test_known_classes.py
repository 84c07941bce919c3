"""The test that stands beside what is told of clusters."""

import numpy as np
import pytest
from benchmarks.studies.known_classes import holm


def test_holm_multiplies_the_smallest_by_all_the_next_by_one_less_and_never_falls() -> None:
    p = np.array([0.03, 0.001, 0.04, 0.5])
    assert holm(p) == pytest.approx([3 * 0.03, 4 * 0.001, 3 * 0.03, 0.5])
    assert holm(np.array([0.6, 0.7])).max() == 1.0
