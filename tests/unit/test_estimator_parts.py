"""NPLBM takes a data frame of columns of several kinds, and tables over the same rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from birds import birds
from disnplbm import NPLBM
from disnplbm.errors import DataWarning, InputError

NUMBERS, WORDS = ["bill", "flipper", "mass"], ["island", "origin"]


def fitted(given: Any, **parameters: Any) -> NPLBM:
    with pytest.warns(DataWarning):
        return NPLBM(**{"n_iterations": 12, "burn_in": 6, "cells": "mixed", **parameters}).fit(given)


def test_a_frame_of_several_kinds_is_fitted() -> None:
    frame = birds()[[*WORDS, *NUMBERS]]
    model = fitted(frame)
    assert (model.n_features_in_, model.cells_, model.sampler_) == (5, "mixed", "split-merge")
    assert list(model.feature_names_in_) == [*WORDS, *NUMBERS]
    assert (model.row_labels_.shape, model.column_labels_.shape) == ((60,), (5,))
    # No cluster of columns holds both kinds.
    assert set(model.column_labels_[:2]).isdisjoint(model.column_labels_[2:])
    assert set(model.block_figures_) == {"categorical", "gaussian"}
    assert model.block_figures_["categorical"]["share"].shape[2] == 3
    assert any("standardised by column" in note for note in model.warnings_)
    assert any("columns_as={'bill': 'categorical'}" in note for note in model.warnings_)


def test_a_dict_of_frames_is_the_frame_of_all_columns() -> None:
    frame = birds()
    whole = fitted(frame[[*NUMBERS, *WORDS]])
    split = fitted({"measures": frame[NUMBERS], "places": frame[WORDS].sample(frac=1.0, random_state=1)})
    assert whole.digest_ == split.digest_
    assert set(split.block_figures_) == {"measures", "places"}


def test_columns_are_taken_as_asked_for() -> None:
    model = fitted(birds()[[*NUMBERS, *WORDS]], cells="auto", columns_as={"mass": "categorical"})
    assert list(model.feature_names_in_) == ["bill", "flipper", "mass", *WORDS]
    assert list(model.block_figures_) == ["gaussian", "categorical", "categorical 2"]


@pytest.mark.parametrize(
    ("given", "parameters", "words"),
    [
        (birds(), {"shard_axis": "columns"}, "leave out shard_axis='columns'"),
        (birds(), {"row_covariates": np.zeros((60, 1))}, "do not take row_covariates yet"),
        (birds(), {"exposure": np.ones(60)}, "do not take factors as exposure yet"),
        (np.eye(3), {}, "X has no named columns"),
        ({}, {}, "X is an empty dict"),
        (birds().assign(when=pd.Timestamp(0)), {}, r"X\.drop\(columns=\['when'\]\)"),
    ],
)
def test_what_does_not_go_is_refused_in_one_line(given: Any, parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        NPLBM(cells="mixed", **parameters).fit(given)


@pytest.fixture(scope="module")
def model() -> NPLBM:
    return fitted(birds()[[*NUMBERS, *WORDS]])


@pytest.mark.parametrize(
    "ask",
    [
        lambda model, frame: model.predict(frame),
        lambda model, frame: model.impute(frame),
        lambda model, frame: model.transform(frame),
        lambda model, frame: model.explain(frame),
        lambda model, frame: model.report("x.html", frame),
        lambda model, _: model.plot_heatmap(),
    ],
)
def test_what_knows_one_part_only_says_so(model: NPLBM, ask: Callable[[NPLBM, pd.DataFrame], Any]) -> None:
    with pytest.raises(InputError, match="one kind of columns"):
        ask(model, birds()[[*NUMBERS, *WORDS]])


def test_a_notebook_shows_what_was_found(model: NPLBM) -> None:
    shown = model._repr_html_()
    assert "60 rows × 5 columns" in shown
    assert "<img" not in shown.partition("disnplbm-found")[2]
    assert len(model.blocks_) == model.n_row_clusters_ * model.n_column_clusters_
