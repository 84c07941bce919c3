"""The OpenAPI document, which is written from the routes: what the framework does not know is added here."""

from __future__ import annotations

import json
import re
from typing import Any

from flask import current_app
from pydantic import BaseModel

from disnplbm_dashboard.api.results import TYPES
from disnplbm_dashboard.backend import backend
from disnplbm_dashboard.creation import HEADER
from disnplbm_dashboard.problems import CONTENT_TYPE, PROBLEMS
from disnplbm_dashboard.schemas.common import ProblemAnswer
from disnplbm_dashboard.schemas.datasets import PreflightUnderWay
from disnplbm_dashboard.schemas.stream import ProgressMessage
from disnplbm_dashboard.security import COOKIE, is_public

_SECURED: list[dict[str, list[str]]] = [{"bearer": []}, {"session": []}]

#: Paths whose POST takes an Idempotency-Key.
_ONCE = ("/api/v1/datasets", "/api/v1/runs", "/api/v1/runs/{run_id}/clone")

_PART = "/api/v1/datasets/{dataset_id}/parts/{number}"

#: Models that no route names.
_BESIDES: dict[str, type[BaseModel]] = {
    "Problem": ProblemAnswer,
    "ProgressMessage": ProgressMessage,
    "PreflightUnderWay": PreflightUnderWay,
}

_BYTES = {"schema": {"type": "string", "format": "binary"}}

#: What stands in the place of a path's braces.
_PLACES = {
    "run_id": "Id of a run, or a beginning of it that no other run has.",
    "dataset_id": "Id of a dataset, or a beginning of it that no other dataset has.",
    "number": "Of the part, from 0 on.",
    "name": "Of the file, as /artifacts lists it.",
}

_KEY = "Up to 200 printable characters. A request that repeats them and the body does nothing again."

#: One of the messages of a stream.
_MESSAGE = {
    "schema": {
        "type": "object",
        "required": ["event", "data"],
        "properties": {
            "event": {"type": "string", "enum": ["event", "progress"]},
            "id": {"type": "string", "description": "Of an event: what Last-Event-ID takes."},
            "data": {"type": "string", "contentMediaType": "application/json"},
        },
    }
}

#: What the answers of some paths are, besides JSON.
_CONTENT: dict[str, dict[str, Any]] = {
    "/api/v1/runs/{run_id}/artifacts/{name}": {kind.partition(";")[0]: _BYTES for kind in TYPES.values()}
    | {"application/json": {"schema": {"type": "object"}}},
    "/api/v1/runs/{run_id}/artifacts.zip": {"application/zip": _BYTES},
    "/api/v1/events/stream": {"text/event-stream": _MESSAGE},
    "/api/v1/runs/{run_id}/events/stream": {"text/event-stream": _MESSAGE},
}

DESCRIPTION = (
    "Submit, watch, understand and compare runs of disnplbm. Errors are application/problem+json with stable types."
    " Send a token as Authorization: Bearer; `disnplbm token create` makes one. Whole numbers, such as seeds of up to"
    " 2^63 - 1, are JSON numbers and exact: read them with a parser that keeps 64 bits."
)


def complete_document(spec: Any) -> Any:
    """Add to a document its problems, its security and what else is the same everywhere."""
    spec = _name_models_once(spec)
    address = backend().public
    if address is not None:
        spec["servers"] = [{"url": address.url}]
    components = spec["components"]
    for name, model in _BESIDES.items():
        schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
        components["schemas"] |= {name: schema, **schema.pop("$defs", {})}
    components["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer"},
        "session": {"type": "apiKey", "in": "cookie", "name": COOKIE},
    }
    public = _public()
    for path, operations in spec["paths"].items():
        for method, operation in operations.items():
            _complete_operation(path, method, operation, secured=(path, method) not in public)
            if "requestBody" in operation:
                operation["requestBody"]["required"] = _is_needed(operation["requestBody"], components["schemas"])
    return spec


def _is_needed(body: dict[str, Any], schemas: dict[str, Any]) -> bool:
    """Whether a request needs a body: one whose fields all have defaults may be left out."""
    model = body["content"].get("application/json", {}).get("schema", {}).get("$ref", "").rpartition("/")[2]
    return model not in schemas or bool(schemas[model].get("required"))


def _public() -> set[tuple[str, str]]:
    """Paths, as a document has them, and methods of what anybody may ask for."""
    return {
        (re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule), method.lower())
        for rule in current_app.url_map.iter_rules()
        if is_public(current_app.view_functions[rule.endpoint])
        for method in rule.methods or ()
    }


def _name_models_once(spec: Any) -> Any:
    """Give each model its own name everywhere: the framework names it anew in each model that contains it."""
    schemas = spec["components"]["schemas"]
    spec["components"]["schemas"] = {name.rpartition(".")[2]: schemas[name] for name in sorted(schemas)}
    text = re.sub(r'"#/components/schemas/\w+\.(\w+)"', r'"#/components/schemas/\1"', json.dumps(spec))
    return json.loads(text)


def _complete_operation(path: str, method: str, operation: dict[str, Any], *, secured: bool) -> None:
    operation["operationId"] = operation["operationId"].removeprefix(f"{method}_{operation['tags'][0].lower()}_")
    if secured:
        operation["security"] = _SECURED
    if path in _ONCE and method == "post":
        schema = {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$"}
        operation["parameters"].append(
            {"in": "header", "name": HEADER, "required": False, "description": _KEY, "schema": schema}
        )
        operation["responses"]["200"] = {**operation["responses"]["201"], "description": "It was made before."}
    for parameter in operation["parameters"]:
        if parameter["in"] == "path":
            parameter["description"] = _PLACES[parameter["name"]]
    if path == _PART:
        operation["requestBody"] = {"required": True, "content": {"application/octet-stream": _BYTES}}
    if path in _CONTENT:
        for status, answer in operation["responses"].items():
            if status != "304":
                answer["content"] = _CONTENT[path]
    if path.endswith("/preflight"):
        content = {"application/json": {"schema": {"$ref": "#/components/schemas/PreflightUnderWay"}}}
        operation["responses"]["202"]["content"] = content
    for status in _statuses(path, method, operation, secured=secured):
        titles = [title for of, title in PROBLEMS.values() if of == status]
        operation["responses"][str(status)] = {
            "description": "; or: ".join(titles),
            "content": {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }


def _statuses(path: str, method: str, operation: dict[str, Any], *, secured: bool) -> list[int]:
    """Of the problems that an operation may answer with."""
    statuses = {400, 403, 500, 503}
    if secured or path.endswith("/session"):
        statuses.add(401)
    if "{" in path:
        statuses |= {404, 409}
    if path.endswith("/compare"):
        statuses |= {404, 409}
    if "requestBody" in operation:
        statuses |= {404, 409, 413, 415, 422}
    if operation["parameters"]:
        statuses.add(422)
    if path == _PART:
        statuses.add(411)
    if (path in _ONCE and method == "post") or path.endswith(("/stream", "/previews", "/previews/factors")):
        statuses.add(429)
    if "206" in operation["responses"]:
        statuses.add(416)
    return sorted(statuses)
