"""How a file is read: checks, records, and the words of the command line."""

from __future__ import annotations

import json
from typing import Any

import pytest

from disnplbm.data.reading import Reading
from disnplbm.errors import InputError
from spoken import typed

FULL = Reading(
    id_column="gene",
    header=True,
    delimiter="tab",
    decimal=",",
    thousands=".",
    missing=("N/A", "-"),
    drop_columns=("a", "b c"),
    transpose=True,
    layout="table",
    absent="zero",
    layer="counts",
)


def test_a_record_gives_the_same_reading_back() -> None:
    for reading in (Reading(), FULL, Reading(class_column="kind", header=False)):
        assert Reading.from_dict(json.loads(json.dumps(reading.to_dict()))) == reading


def test_records_of_older_datasets_can_be_read() -> None:
    assert Reading.from_dict({"id_column": "a", "class_column": None, "header": "auto"}) == Reading(id_column="a")
    assert Reading.from_dict({}) == Reading()


def test_what_is_not_asked_for_is_not_in_the_record() -> None:
    assert Reading().to_dict() == {"id_column": None, "class_column": None, "header": "auto"}
    assert Reading(missing=("-",)).to_dict()["missing"] == ["-"]
    assert Reading(delimiter="\t").to_dict()["delimiter"] == "tab"


def test_the_words_of_the_command_line_say_the_same() -> None:
    assert typed(Reading().hints()) == ()
    assert typed(Reading(class_column="my class", header=False).hints()) == (
        "--row-classes",
        "my class",
        "--header",
        "no",
    )
    assert " ".join(typed(FULL.hints())) == (
        "--id-column gene --header yes --delimiter tab --decimal , --thousands . --missing N/A --missing -"
        " --drop-column a --drop-column b c --transpose --layout table --absent zero --layer counts"
    )


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"header": "maybe"}, "--header"),
        ({"delimiter": ";;"}, "--delimiter"),
        ({"delimiter": '"'}, "--delimiter"),
        ({"decimal": ";"}, "--decimal"),
        ({"decimal": ",", "thousands": ","}, "--thousands"),
        ({"layout": "wide"}, "--layout"),
        ({"absent": "nan"}, "--absent"),
        ({"layer": 3}, "--layer"),
        ({"missing": "N/A"}, "--missing"),
        ({"missing": [1]}, "--missing"),
        ({"drop_columns": "a"}, "--drop-column"),
        ({"id_column": 3}, "--id-column"),
        ({"id_column": "a", "drop_columns": ["a"]}, "--drop-column"),
        ({"class_column": "a", "transpose": True}, "--transpose"),
        ({"transpose": 1}, "--transpose"),
        ({"sheet": "one"}, "sheet"),
        *(({name: "\udcff"}, "UTF-8") for name in ("id_column", "class_column", "delimiter")),
        *(({name: ["\udcff"]}, "UTF-8") for name in ("missing", "drop_columns")),
    ],
)
def test_values_that_are_not_allowed_are_refused(options: dict[str, Any], named: str) -> None:
    with pytest.raises(InputError, match=named) as caught:
        Reading.from_dict(options)
    assert "\n" not in str(caught.value)


def test_an_option_that_a_format_does_not_have_is_refused() -> None:
    FULL.refuse_all_but((*FULL.to_dict(), "class_column"), "x.npy: unused")
    with pytest.raises(InputError, match=r"x\.npy: no text, so --header yes does not apply"):
        FULL.refuse_all_but(("id_column",), "x.npy: no text")
