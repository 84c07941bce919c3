"""Every object is what an API server would take, as far as its schema says."""

from __future__ import annotations

from typing import Any

import jsonschema
import kubernetes_validate
import pytest
from cloudcoil.models.keda.v1alpha1 import ScaledObject, TriggerAuthentication

from .conftest import Manifest, Overlay

VERSIONS = ("1.33", "1.35", "1.37")


def strict(schema: Any) -> Any:
    """A schema in which an object has no properties but those that are named."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: strict(value) for key, value in schema.items()}
    return closed | {"additionalProperties": False} if "properties" in schema and "type" in schema else closed


#: Made by the package from the definitions that KEDA publishes.
KEDA = {
    model.__name__: strict(model.model_json_schema(by_alias=True)) for model in (ScaledObject, TriggerAuthentication)
}


@pytest.mark.parametrize("version", VERSIONS)
def test_kubernetes_knows_every_object_and_field(overlay: Overlay, version: str) -> None:
    for manifest in overlay.manifests:
        if manifest["kind"] not in KEDA:
            kubernetes_validate.validate(manifest, version, strict=True)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_field_of_another_name_is_not_taken(overlays: dict[str, Overlay], version: str) -> None:
    worker = overlays["local"].find("Deployment", "worker")
    spoilt = {**worker, "spec": {**worker["spec"], "replica": 1}}
    with pytest.raises(kubernetes_validate.ValidationError, match="replica"):
        kubernetes_validate.validate(spoilt, version, strict=True)


def _keda(overlay: Overlay) -> list[Manifest]:
    return overlay.of_kind(*KEDA)


@pytest.mark.parametrize("name", ["keda", "keda-rabbitmq", "local-keda"])
def test_keda_knows_every_object_and_field_of_its_own(overlays: dict[str, Overlay], name: str) -> None:
    found = _keda(overlays[name])
    assert {one["kind"] for one in found} == set(KEDA)
    for one in found:
        jsonschema.validate(one, KEDA[one["kind"]])
        spoilt = {**one, "spec": {**one["spec"], "pollInterval": 1}}
        with pytest.raises(jsonschema.ValidationError, match="pollInterval"):
            jsonschema.validate(spoilt, KEDA[one["kind"]])


def test_nothing_else_needs_keda(overlays: dict[str, Overlay]) -> None:
    assert [_keda(overlays[name]) for name in ("local", "production")] == [[], []]
