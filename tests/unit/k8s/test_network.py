"""Who may talk to whom in the overlay `local`: what is needed, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import Overlay

PORTS = {"rabbitmq": 5672, "redis": 6379, "postgres": 5432, "seaweedfs": 8333, "dashboard": 8000, "master": 9100}

NEEDED = {
    "master": {"rabbitmq", "redis", "postgres", "seaweedfs"},
    "worker": {"rabbitmq", "redis", "seaweedfs"},
    "dashboard": {"rabbitmq", "postgres", "seaweedfs"},
    "migrate": {"postgres"},
    "clean": {"postgres", "seaweedfs"},
    "rabbitmq": set(),
    "redis": set(),
    "postgres": set(),
    "seaweedfs": {"seaweedfs"},
}


def _selects(selector: dict[str, Any], labels: dict[str, str]) -> bool:
    """Whether a selector of pods, of the kinds that are used here, selects one."""
    assert set(selector) <= {"matchLabels", "matchExpressions"}
    exact = selector.get("matchLabels", {}).items() <= labels.items()
    return exact and all(
        rule["operator"] == "In" and labels.get(rule["key"]) in rule["values"]
        for rule in selector.get("matchExpressions", [])
    )


def _may(overlay: Overlay, client: dict[str, str], server: dict[str, str], port: int) -> bool:
    """Whether the policies of both let a pod talk to another of its namespace."""
    return _lets(overlay, "egress", client, server, port) and _lets(overlay, "ingress", server, client, port)


def _lets(overlay: Overlay, way: str, pod: dict[str, str], peer: dict[str, str], port: int) -> bool:
    """Whether a pod's policies let it talk to a peer of its namespace, or be talked to by it."""
    direction = "to" if way == "egress" else "from"
    for policy in overlay.of_kind("NetworkPolicy"):
        if not _selects(policy["spec"]["podSelector"], pod):
            continue
        for rule in policy["spec"].get(way, []):
            peers = rule.get(direction, [{"podSelector": {}}])
            near = any("namespaceSelector" not in one and _selects(one["podSelector"], peer) for one in peers)
            if near and ("ports" not in rule or any(one["port"] == port for one in rule["ports"])):
                return True
    return False


@pytest.mark.parametrize("name", ["local", "local-keda"])
def test_who_may_talk_to_whom(overlays: dict[str, Overlay], name: str) -> None:
    overlay = overlays[name]
    labels = {workload["metadata"]["name"]: pod["metadata"]["labels"] for workload, pod in overlay.pods()}
    assert set(labels) == set(NEEDED)
    for client, pod in labels.items():
        allowed = {server for server, port in PORTS.items() if _may(overlay, pod, labels[server], port)}
        assert allowed == NEEDED[client], client


def test_everything_else_is_denied(overlay: Overlay) -> None:
    deny = overlay.find("NetworkPolicy", "default-deny")["spec"]
    assert deny == {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]}


@pytest.mark.parametrize("name", ["keda", "local-keda"])
def test_the_autoscaler_reaches_the_dashboard(overlays: dict[str, Overlay], name: str) -> None:
    rules = overlays[name].find("NetworkPolicy", "autoscaler")["spec"]["ingress"]
    assert rules == [
        {
            "from": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "keda"}}}],
            "ports": [{"protocol": "TCP", "port": 8000}],
        }
    ]
