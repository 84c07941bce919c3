"""Pictures of a fitted model and of a run folder: they say what the model says, in the colours of the pages."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from matplotlib import image as images
from matplotlib import pyplot as plt
from sklearn.exceptions import NotFittedError

from disnplbm import NPLBM, InputError
from disnplbm.plot import colours, plot_heatmap, plot_levels, plot_trace, plot_tree, scale
from disnplbm.plot.picture import multiples
from disnplbm.plot.thumbnail import encode_png
from disnplbm.report.exposure import exposures
from unit.test_estimator_writing import counts, numbers, words

WEB = Path(__file__).resolve().parents[3] / "dashboard/web/src/heatmap"


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def model() -> NPLBM:
    return NPLBM(20, burn_in=10, n_chains=2, column_transform="standardize").fit(numbers())


@pytest.fixture(scope="module")
def folder(model: NPLBM, tmp_path_factory: pytest.TempPathFactory) -> Path:
    saved: Path = model.save(tmp_path_factory.mktemp("runs") / "run")
    return saved


def ticks(axis: object) -> list[str]:
    return [label.get_text() for label in axis.get_ticklabels()]  # type: ignore[attr-defined]


def test_the_heatmap_is_the_table_in_the_order_of_the_model(model: NPLBM) -> None:
    ax = plot_heatmap(model)
    table = numbers()
    table = (table - table.mean()) / table.std(ddof=0)
    shown = np.ma.filled(ax.images[0].get_array(), np.nan)
    np.testing.assert_allclose(shown, table.to_numpy()[model.row_order_][:, model.column_order_], atol=1e-5)
    assert ax.get_ylabel() == f"30 rows in {model.n_row_clusters_} clusters"
    assert ticks(ax.xaxis) == list(table.columns[model.column_order_])
    assert len(ax.figure.axes) == 2
    assert ax.figure.axes[1].get_ylabel() == "value after standardize"


def test_borders_go_where_clusters_are_merged(model: NPLBM) -> None:
    fine = plot_heatmap(model, None, None, names=False)
    assert len(fine.lines) == model.n_row_clusters_ + model.n_column_clusters_ - 2
    first = [int(label) for label in ticks(fine.yaxis)]
    assert sorted(first) == list(range(model.n_row_clusters_))
    merged = plot_heatmap(model, 1, 1, names=False)
    assert len(merged.lines) == 0
    assert merged.get_ylabel() == "30 rows in 1 cluster"


def test_a_run_folder_is_drawn_as_the_model_it_comes_from(model: NPLBM, folder: Path) -> None:
    for draw in (plot_heatmap, plot_levels, plot_trace, plot_tree):
        pictures = []
        for what in (model, folder, str(folder)):
            figure = draw(what).figure
            figure.savefig(out := io.BytesIO(), format="rgba")
            pictures.append(out.getvalue())
        assert len(set(pictures)) == 1, draw.__name__


def test_the_method_draws_on_the_axes_that_are_given(model: NPLBM) -> None:
    figure, axes = plt.subplots(1, 3)
    assert model.plot_heatmap(ax=axes[0], colorbar=False) is axes[0]
    assert model.plot_trace("row_clusters", ax=axes[1]) is axes[1]
    assert model.plot_tree(ax=axes[2], orientation="left") is axes[2]
    assert len(figure.axes) == 3


def test_the_trace_has_a_line_for_each_chain(model: NPLBM) -> None:
    ax = plot_trace(model)
    assert len(ax.lines) == 2
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), model.trace_["log_joint"])
    assert [patch.get_width() for patch in ax.patches] == [10.0]


def test_levels_have_a_curve_of_what_is_known_of_them(model: NPLBM) -> None:
    curves = model._fitted.findings.curves
    assert curves is not None
    ax = model.plot_levels()
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), curves.rows.agreement)
    assert len(ax.lines) == 1
    of_columns = model.plot_levels("columns", "lost").lines[0]
    np.testing.assert_array_equal(of_columns.get_xdata(), curves.columns.levels)
    np.testing.assert_array_equal(of_columns.get_ydata(), curves.columns.lost)
    with pytest.raises(InputError, match="figure='ratio' is not known of this fit; choose 'agreement', 'confidence'"):
        model.plot_levels(figure="ratio")
    with pytest.raises(InputError, match="figure='speed' is unknown"):
        model.plot_levels(figure="speed")
    with pytest.raises(InputError, match="axis is 'cells'"):
        model.plot_levels("cells")


def test_the_tree_colours_the_branches_of_a_level() -> None:
    groups = np.repeat(np.arange(6), 4)
    table = np.array([0.0, 1.0, 2.0, 20.0, 21.0, 40.0])[groups][:, None]
    table = table + np.random.default_rng(0).normal(0.0, 0.1, (24, 5))
    model = NPLBM(1, start=(groups, np.zeros(5)), alpha=1e4, psi0_factor=1e-3, pair_moves=False).fit(table)
    assert model.n_row_clusters_ >= 4
    ax = plot_tree(model, n_clusters=2)
    drawn = {tuple(np.round(colour, 4)) for lines in ax.collections for colour in lines.get_edgecolor()}
    assert len(drawn) <= 3
    assert sum(int(re.search(r"\((\d+)\)", label)[1]) for label in ticks(ax.xaxis)) == 24  # type: ignore[index]
    with pytest.raises(InputError, match="there is one column cluster"):
        plot_tree(model, "columns")


def test_counts_are_multiples_of_what_their_margins_let_expect() -> None:
    table = counts()
    model = NPLBM(10, cells="counts").fit(table)
    ax = plot_heatmap(model)
    x = table.to_numpy()[model.row_order_][:, model.column_order_]
    expected = np.outer(x.sum(axis=1), x.sum(axis=0)) / x.sum()
    np.testing.assert_allclose(ax.images[0].get_array(), (x + 1) / (expected + 1), rtol=1e-6)
    of_picture = multiples(model._fitted.findings.heatmap.reordered, exposures)
    np.testing.assert_allclose(ax.images[0].get_array(), of_picture)
    assert ax.figure.axes[1].get_ylabel() == "times the expected count"
    assert "1" in ticks(ax.figure.axes[1].yaxis)
    assert plot_heatmap(model, pixel="cells").figure.axes[1].get_ylabel() == "count"


@pytest.mark.parametrize("shard_axis", ["rows", "columns"])
def test_counts_are_multiples_of_what_given_factors_let_expect(shard_axis: str) -> None:
    table, rng = counts(), np.random.default_rng(0)
    rows, columns = (rng.gamma(2.0, 1.0, length) for length in table.shape)
    model = NPLBM(10, cells="counts", exposure=(rows, columns), shard_axis=shard_axis).fit(table)
    x = table.to_numpy()[model.row_order_][:, model.column_order_]
    expected = np.outer(rows[model.row_order_], columns[model.column_order_])
    expected *= x.sum() / expected.sum()
    np.testing.assert_allclose(plot_heatmap(model).images[0].get_array(), (x + 1) / (expected + 1), rtol=1e-6)


def test_words_have_a_colour_each() -> None:
    model = NPLBM(10, cells="categorical").fit(words())
    ax = plot_heatmap(model)
    assert ticks(ax.figure.axes[1].yaxis) == ["no", "yes"]
    shown = np.ma.filled(ax.images[0].get_array(), -1)
    expected = (words() == "yes").to_numpy()[model.row_order_][:, model.column_order_]
    np.testing.assert_array_equal(shown, expected)


def test_a_missing_cell_is_grey(model: NPLBM) -> None:
    image = plot_heatmap(model).images[0]
    place = np.argwhere(np.ma.getmaskarray(image.get_array()))
    assert len(place) == 1
    assert tuple(image.to_rgba(image.get_array())[tuple(place[0])][:3]) == pytest.approx(colours.MISSING)


def test_colours_and_rules_are_those_of_the_pages() -> None:
    text = (WEB / "colours.ts").read_text()
    for name, own in (("SEQUENTIAL", colours.SEQUENTIAL), ("DIVERGING", colours.DIVERGING), ("TURNS", colours.TURNS)):
        light = re.search(rf"const {name}\b.*?light: \[(.*?)\n  \]", text, re.DOTALL)
        assert light is not None
        found = [tuple(map(float, each.split(","))) for each in re.findall(r"\[([\d., ]+)\]", light[1])]
        assert found == [tuple(map(float, each)) for each in own]
    assert str(list(colours.HUES)) in text
    rules = (WEB / "scale.ts").read_text()
    for name in ("CLIP", "HEAVY_TAIL", "CROSSING"):
        assert f"const {name} = {getattr(scale, name)};" in rules
    assert f"ENDS = {list(scale.ENDS)}" in rules


def test_a_scale_takes_values_to_colours_and_back() -> None:
    rng = np.random.default_rng(0)
    heavy = np.exp(3.0 * rng.normal(size=500))
    for found in (
        scale.fit_numbers(rng.normal(size=500), "value"),
        scale.fit_numbers(heavy, "value"),
        scale.fit_multiples(heavy, "times"),
        scale.fit_numbers(np.ones(9), "value"),
        scale.fit_numbers(rng.poisson(0.1, 500).astype(float), "count", counts=True),
    ):
        assert (np.diff(found.values) > 0).all()
        assert (np.diff(found.shares) >= 0).all()
        assert (found.shares[0], found.shares[-1]) == (0.0, 1.0)
        np.testing.assert_allclose(found.place(found.value_at([0.2, 0.7])), [0.2, 0.7], atol=0.02)
    ranked = scale.fit_numbers(heavy, "value")
    assert ranked.place(np.median(heavy)) == pytest.approx(0.5, abs=0.01)
    assert scale.fit_multiples(heavy, "times").place(1.0) == pytest.approx(0.5)


def test_a_png_holds_what_was_put_into_it() -> None:
    steps = np.random.default_rng(0).integers(0, 256, (7, 11)).astype(np.uint8)
    palette = np.random.default_rng(1).integers(0, 256, (256, 3)).astype(np.uint8)
    decoded = images.imread(io.BytesIO(encode_png(steps, palette)), format="png")
    np.testing.assert_array_equal(np.rint(255 * decoded[..., :3]), palette[steps])


def test_a_notebook_shows_what_was_found() -> None:
    asked = NPLBM(10)
    assert "disnplbm-found" not in asked._repr_mimebundle_()["text/html"]
    model = asked.fit(numbers().rename(columns={"c0": "<script>"}))
    for page in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        found = page[page.index('<div class="disnplbm-found"') :]
        assert "30 rows × 9 columns in 2 row clusters" in found
        assert model.digest_[:12] in found
        assert "burn_in=100" in found
        assert "<script>" not in found
        assert len(found) < 60_000


def test_refusals_are_one_line(model: NPLBM, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(NotFittedError):
        plot_heatmap(NPLBM())
    with pytest.raises(InputError, match="list cannot be drawn; give a fitted NPLBM"):
        plot_heatmap([1])
    with pytest.raises(InputError, match="no such folder"):
        plot_trace(tmp_path / "none")
    with pytest.raises(InputError, match="rows=0 is not a number of clusters"):
        plot_heatmap(model, rows=0)
    with pytest.raises(InputError, match=r"columns=2\.5 is not a number of clusters"):
        plot_heatmap(model, columns=2.5)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="pixel='ratio' is for counts"):
        plot_heatmap(model, pixel="ratio")
    with pytest.raises(InputError, match="measure='speed' is unknown"):
        plot_trace(model, "speed")  # type: ignore[arg-type]
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for draw in (model.plot_heatmap, model.plot_trace, model.plot_tree):
        with pytest.raises(InputError, match="a picture needs matplotlib: pip install 'disnplbm"):
            draw()
