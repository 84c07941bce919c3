"""Where chains from random clusters and chains that walk down from power 1 part."""

from __future__ import annotations

import numpy as np

from disnplbm.posterior.elbow import choose_power
from disnplbm.posterior.ends import Curve, describe_ends

POWERS = np.array([0.1, 0.2, 0.5, 1.0])


def curve(rows: list[float], columns: list[float]) -> Curve:
    return Curve(np.array([-3.0, -2.0, -1.5, -1.4]), np.full(4, 0.01), np.array(rows), np.array(columns))


RANDOM = curve([2.0, 3.0, 10.0, 20.0], [1.0, 4.0, 5.0, 8.0])


def test_a_cluster_or_a_quarter_more_is_no_parting() -> None:
    walked = curve([3.0, 3.4, 12.0, 20.0], [1.9, 3.0, 6.0, 8.0])
    assert describe_ends(POWERS, RANDOM, walked).endswith("agree on the numbers of clusters.")


def test_rows_or_columns_may_part_and_the_widest_is_told() -> None:
    walked = curve([4.0, 3.0, 10.0, 20.0], [1.0, 9.0, 5.0, 8.0])
    said = describe_ends(POWERS, RANDOM, walked)
    assert "part at power 0.1 and 0.2: at 0.2 they have 3.0 x 4.0 and 3.0 x 9.0 clusters." in said
    assert said.endswith(f"one of the latter would choose power {choose_power(POWERS, *walked).power:g}.")


def test_three_are_listed_as_people_list_them() -> None:
    walked = curve([9.0, 9.0, 30.0, 20.0], [1.0, 4.0, 5.0, 8.0])
    assert "part at power 0.1, 0.2 and 0.5:" in describe_ends(POWERS, RANDOM, walked)
