"""The curve's geometry, and a page that stands on its own."""

from __future__ import annotations

import re

import numpy as np
import pytest

from disnplbm.posterior.elbow import choose_power
from disnplbm.report.calibration import fit_curve, render_calibration

POWERS = np.array([0.1, 0.3, 0.5, 1.0])
FIT = np.array([-3.0, -1.2, -1.1, -1.0])
ERROR = np.full(4, 0.01)
ROWS, COLUMNS = np.array([1.0, 3.0, 8.0, 25.0]), np.array([1.0, 2.0, 2.0, 4.0])


def test_the_horizontal_axis_is_logarithmic_and_the_chosen_power_is_marked() -> None:
    curve = fit_curve(POWERS, FIT, ERROR, np.array([1.0, 10.0, 100.0, 1000.0]), 1)
    assert np.diff([mark.x for mark in curve.marks]) == pytest.approx((curve.marks[-1].x - curve.marks[0].x) / 3)
    assert [mark.chosen for mark in curve.marks] == [False, True, False, False]
    assert [tick.label for tick in curve.x_ticks] == ["1", "10", "100", "1,000"]
    assert [tick.at for tick in curve.x_ticks] == pytest.approx([mark.x for mark in curve.marks])


def test_everything_lies_within_the_frame_and_better_fit_higher() -> None:
    curve = fit_curve(POWERS, FIT, ERROR * 50, ROWS * COLUMNS, 1)
    assert all(curve.left <= mark.x <= curve.right for mark in curve.marks)
    assert all(curve.top <= mark.high < mark.y < mark.low <= curve.bottom for mark in curve.marks)
    assert [mark.y for mark in curve.marks] == sorted((mark.y for mark in curve.marks), reverse=True)


def test_one_number_of_blocks_and_one_fit_still_have_a_place() -> None:
    curve = fit_curve(POWERS, np.zeros(4), np.zeros(4), np.full(4, 6.0), 3)
    middle = (curve.left + curve.right) / 2, (curve.top + curve.bottom) / 2
    assert all((mark.x, mark.y) == pytest.approx(middle) for mark in curve.marks)


def test_the_page_rings_the_elbow_says_why_and_needs_nothing_else() -> None:
    elbow = choose_power(POWERS, FIT, ERROR, ROWS, COLUMNS)
    page = render_calibration("a<b>.csv", POWERS, FIT, ERROR, ROWS, COLUMNS, elbow)
    assert elbow.power == 0.3
    curve = fit_curve(POWERS, FIT, ERROR, ROWS * COLUMNS, elbow.index)
    (ring,) = re.findall(r'<circle class="ring" cx="([\d.]+)"', page)
    assert float(ring) == pytest.approx(curve.marks[1].x, abs=0.051)
    assert f"<figcaption>{elbow.sentence}</figcaption>" in page
    assert "<h1>a&lt;b&gt;.csv</h1>" in page
    assert "<script" not in page
    assert not re.search(r"https?://", page)
    assert page.count("<tr><td>") == 4
