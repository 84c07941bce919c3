"""What several resources share."""

from __future__ import annotations

import itertools
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator

from disnplbm.notes import to_plain

#: Text without control characters.
Plain = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$", max_length=200)]

#: What is not seen: blanks, and signs without a width.
_UNSEEN = (
    r"\x00-\x20\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f"
    r"\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
)

#: What people find a thing by: something of it is seen.
Title = Annotated[
    str,
    StringConstraints(pattern=rf"^[^\x00-\x1f\x7f]*[^{_UNSEEN}][^\x00-\x1f\x7f]*$", min_length=1, max_length=200),
]

#: What a cell of a file holds, and so the name of a column: all but NUL, which no database keeps. Spreadsheets put line
#: breaks into long names.
Cell = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", max_length=2000)]

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]

Id = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{4,12}$")]

Cursor = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]+$", max_length=2000)]

#: A number that a database can hold.
Count = Annotated[int, Field(ge=0, le=2**62)]


#: Unknown fields that are told.
_MOST_UNKNOWN = 20


def counted(most: int) -> tuple[Any, Any]:
    """What bounds a list: its items are counted before they are looked at, and the first bad one is told."""

    def few(given: Any) -> Any:
        if isinstance(given, list) and len(given) > most:
            raise ValueError(f"it has {len(given)} items, and may have {most}")
        return given

    return Field(max_length=most, fail_fast=True), BeforeValidator(few)


class Given(BaseModel):
    """What a client sends: nothing that is not known, no infinities, no text for numbers."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _few_unknown(cls, given: Any) -> Any:
        """Leave out all but some of the fields that are not known: each would be an error of its own."""
        if not isinstance(given, dict) or len(given) <= len(cls.model_fields) + _MOST_UNKNOWN:
            return given
        known = {name: given[name] for name in cls.model_fields if name in given}
        return known | dict(itertools.islice(((name, None) for name in given if name not in known), _MOST_UNKNOWN))


class Query(BaseModel):
    """What a client asks for in the address."""

    model_config = ConfigDict(extra="ignore")


class PageQuery(Query):
    """A page of a list."""

    limit: Annotated[int, Field(ge=1, le=200, description="Most items of the page.")] = 50
    cursor: Annotated[Cursor | None, Field(description="`next` of the page before.")] = None


class AfterQuery(Query):
    """What came after something."""

    after: Annotated[Count, Field(description="Number of the last one that is known.")] = 0
    limit: Annotated[int, Field(ge=1, le=1000, description="Most events of an answer.")] = 200


class HintAnswer(BaseModel):
    """An option, with the value that it has or should get."""

    option: str = Field(description="A field of a run, of its options or of a reading.")
    value: str | int | float | bool | list[str] | None = Field(description="null leaves it open.")


class NoteAnswer(BaseModel):
    """A text for people that names options."""

    kind: str = Field(description="What it is about, for programs.")
    parts: list[str | HintAnswer] = Field(description="What it says, in order.")
    place: list[str] = Field(description="Names of the columns that it is about.")


#: A text, with what it names as data where it names any.
Noted = str | NoteAnswer


def noted(text: str | None) -> Noted | None:
    """A text as an answer has it."""
    plain = None if text is None else to_plain(text)
    return NoteAnswer.model_validate(plain) if isinstance(plain, dict) else plain


class ProblemAnswer(BaseModel):
    """An error (RFC 9457)."""

    type: str = Field(description="urn:disnplbm:problem:KIND; stable.")
    title: str = Field(description="What happened.")
    status: int = Field(description="Of the answer, such as 404.")
    detail: str = Field(description="What is wrong, where, and how to mend it.")
    errors: list[dict[str, str]] | None = Field(None, description="Of type validation: what is wrong where.")
    note: NoteAnswer | None = Field(None, description="The detail, if it names options.")
    reading: dict[str, Any] | None = Field(
        None, description="Of type input, if the file can be read in another way: PUT it to the dataset's /reading."
    )


class Event(BaseModel):
    """What happened."""

    id: int = Field(description="Grows with time.")
    at: datetime = Field(description="When.")
    run: str | None = Field(description="Id of the run that it is about.")
    dataset: str | None = Field(description="Id of the dataset that it is about.")
    actor: str = Field(description="Who did it: the name of a token, or a part of the system.")
    kind: str = Field(description="What happened, for programs: submitted, started, succeeded.")
    from_state: str | None = Field(description="State of the run or dataset before.")
    to_state: str | None = Field(description="State of the run or dataset after.")
    reason: str = Field(description="Why, in words; may be empty.")
    data: dict[str, Any] = Field(description="What else is known of it.")


class Events(BaseModel):
    """Events in their order."""

    items: list[Event] = Field(description="The events, the oldest first.")
    last: int = Field(description="Number to ask for what comes after.")
