"""The document of a calibration, and a page that stands on its own."""

from __future__ import annotations

import json

import numpy as np
import pytest

from disnplbm.posterior.elbow import STANDARD_ERRORS, choose_power
from disnplbm.report.calibration import calibration_document, render_calibration

POWERS = np.array([0.1, 0.3, 0.5, 1.0])
FIT = np.array([-3.0, -1.2, -1.1, -1.0])
ERROR = np.full(4, 0.01)
ROWS, COLUMNS = np.array([1.0, 3.0, 8.0, 25.0]), np.array([1.0, 2.0, 2.0, 4.0])


def test_the_document_has_every_power_and_says_which_is_chosen_and_why() -> None:
    elbow = choose_power(POWERS, FIT, ERROR, ROWS, COLUMNS)
    document = calibration_document("wine.csv", POWERS, FIT, ERROR, ROWS, COLUMNS, elbow, "Both ends agree.")
    assert elbow.power == 0.3
    assert document["powers"][document["chosen"]] == {
        "power": 0.3,
        "fit": -1.2,
        "error": 0.01,
        "row_clusters": 3.0,
        "column_clusters": 2.0,
    }
    assert [each["power"] for each in document["powers"]] == POWERS.tolist()
    assert (document["sentence"], document["standard_errors"]) == (elbow.sentence, STANDARD_ERRORS)


@pytest.mark.usefixtures("report_page")
def test_the_page_has_it_and_says_it_without_scripts() -> None:
    elbow = choose_power(POWERS, FIT, ERROR, ROWS, COLUMNS)
    document = calibration_document("a<b>.csv", POWERS, FIT, ERROR, ROWS, COLUMNS, elbow, "Both ends agree.")
    page = render_calibration(document)
    assert "<title>a&lt;b&gt;.csv: power 0.3</title>" in page
    assert "<h1>a&lt;b&gt;.csv</h1><p>likelihood power 0.3</p>" in page
    assert json.loads(page.split('id="document">')[1].split("</script>")[0]) == document
