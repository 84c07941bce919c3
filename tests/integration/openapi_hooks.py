"""What schemathesis is told besides, in its own process: loaded by the configuration that test_openapi.py writes."""

from __future__ import annotations

from typing import Any

import schemathesis

#: Of a request that is not of the form that the document states.
_OF_ITS_FORM = "urn:disnplbm:problem:validation"


@schemathesis.hook
def before_load_schema(context: schemathesis.HookContext, raw_schema: Any) -> None:
    """State arrays of equal items as an older draft has them: schemathesis takes the newer ones for errors."""
    waiting = [raw_schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            items = node.get("prefixItems")
            if items and all(item == items[0] for item in items):
                node["items"] = node.pop("prefixItems")[0]
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node


@schemathesis.check
def valid_requests_are_of_the_right_form(
    context: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case
) -> None:
    """A request that the document allows may be refused for what it means, and never for its form."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code != 422:
        return
    kind = response.json()["type"]
    assert kind != _OF_ITS_FORM, response.text
