"""JSON that clients send, read as JSON has it."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from flask import Request
from werkzeug.exceptions import BadRequest, UnsupportedMediaType


class JsonRequest(Request):
    """A request whose JSON is never null, and in which 5.0 is the whole number that it is in JSON.

    A request without a body asks for nothing special: it is read as an empty object.

    The models are strict: they take no text for a number, and no number for yes or no.
    """

    def get_json(self, force: bool = False, silent: bool = False, cache: bool = True) -> Any:  # noqa: ARG002 - Flask's
        """What the body holds, {} if there is none.

        Raises
        ------
        BadRequest
            It is no JSON, or null.
        UnsupportedMediaType
            It is not called JSON.
        """
        if not self.get_data(cache=cache):
            return {}
        if not self.is_json:
            raise UnsupportedMediaType("send JSON, with Content-Type: application/json")
        try:
            found = json.loads(self.get_data(cache=cache), parse_float=_number)
        except ValueError:
            # Of other encodings too.
            raise BadRequest("the body is no JSON: send an object, in UTF-8") from None
        if found is None:
            raise BadRequest("the body is null: send an object")
        return found


def _number(text: str) -> float | int:
    found = float(text)
    if not found.is_integer():
        return found
    # A double holds no whole number beyond 2^53 exactly.
    exact = Decimal(text)
    return int(exact) if exact == exact.to_integral_value() else found
