"""A format of files is a module of its own and one line in the registry."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from disnplbm.data.formats import FORMATS, Format, all_endings, fields_of, without_format
from disnplbm.data.source import open_source
from disnplbm.errors import InputError


@pytest.fixture
def dots(tmp_path: Path) -> Path:
    path = tmp_path / "table.dots"
    path.write_text(".. . ...\n. .. .....\n")
    return path


def test_one_line_adds_a_format(dots: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"unknown kind of file '\.dots'"):
        open_source(dots)
    monkeypatch.setitem(FORMATS, ".dots", Format("unit.data.toy_format"))
    cells = np.concatenate([chunk.values for chunk in open_source(dots).chunks()])
    np.testing.assert_array_equal(cells[:, :, 0], [[2, 1, 3], [1, 2, 5]])
    turned = np.concatenate([chunk.values for chunk in open_source(dots, transpose=True).chunks()])
    np.testing.assert_array_equal(turned[:, :, 0], [[2, 1], [1, 2], [3, 5]])
    assert all_endings().endswith(", .dots")
    assert (fields_of(dots), without_format(dots.name)) == (("transpose",), "table")
    with pytest.raises(InputError, match=r"a \.dots file has no named columns"):
        open_source(dots, id_column="name")
