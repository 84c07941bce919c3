"""Tables with the things in their columns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from numpy.typing import NDArray

from disnplbm.data.dataset import ingest
from disnplbm.data.source import open_source
from disnplbm.errors import InputError
from disnplbm.objects import open_store

from .tables import tables, with_unified_missing


def test_genes_in_rows(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("gene\tdescription\ts1\ts2\ts3\nTP53\tguard\t1\t2\t3\nBRCA1\trepair\t4\tNA\t6\n")
    source = open_source(tmp_path / "x.tsv", id_column="gene", drop_columns=("description",), transpose=True)
    (chunk,) = source.chunks()
    assert (source.column_names, chunk.ids) == (["TP53", "BRCA1"], ["s1", "s2", "s3"])
    assert np.array_equal(chunk.values[:, :, 0], [[1, 4], [2, np.nan], [3, 6]], equal_nan=True)
    assert chunk.bytes_read == source.bytes_total


def test_without_names(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("1.5,2.5,3.5\n4.5,1.5,6.5\n")
    source = open_source(tmp_path / "x.csv", transpose=True)
    assert source.column_names == ["0", "1"]
    assert next(source.chunks()).ids == ["0", "1", "2"]


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=tables())
def test_any_array_is_turned_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, values: NDArray[np.float64]
) -> None:
    monkeypatch.setattr("disnplbm.data.transposed.READ_BYTES", 500)
    np.save(tmp_path / "x.npy", values)
    found = np.concatenate([chunk.values for chunk in open_source(tmp_path / "x.npy", transpose=True).chunks()])
    assert np.array_equal(found, with_unified_missing(values).swapaxes(0, 1), equal_nan=True)


def test_a_table_turned_is_the_dataset_of_the_table_written_so(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(7, 4))
    np.save(tmp_path / "x.npy", values)
    np.save(tmp_path / "y.npy", values.T)
    store = open_store("memory://")
    turned = ingest(open_source(tmp_path / "x.npy", transpose=True), store, "a")
    assert turned.sha256 == ingest(open_source(tmp_path / "y.npy"), store, "b").sha256


def test_the_file_is_read_only_when_it_is_needed(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,2\n3,oops\n")
    source = open_source(tmp_path / "x.csv", transpose=True)
    with pytest.raises(InputError, match="line 3, column b: 'oops'"):
        list(source.chunks())


def test_an_upload_is_limited_before_it_is_turned(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((10, 10)))
    with pytest.raises(InputError, match="unpacks to more than 400 bytes"):
        list(open_source(tmp_path / "x.npy", transpose=True, most_bytes=400).chunks())
