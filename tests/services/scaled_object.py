"""What the overlay `keda` tells the autoscaler, read from what ``kubectl kustomize`` builds of it."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import yaml

_OVERLAY = Path(__file__).resolve().parents[2] / "k8s/overlays/keda"


@dataclass(frozen=True, slots=True)
class Policy:
    """How many pods may come or go within a period.

    Parameters
    ----------
    kind : {"Pods", "Percent"}
    value : int
    seconds : float
        The period.
    """

    kind: Literal["Pods", "Percent"]
    value: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Of one direction.

    Parameters
    ----------
    window : float
        Seconds of stabilisation.
    policies : tuple of Policy
        The one that allows most counts.
    """

    window: float
    policies: tuple[Policy, ...]


@dataclass(frozen=True, slots=True)
class ScaledObject:
    """The values of the ScaledObject `worker`; all times in seconds.

    Parameters
    ----------
    polling, cooldown : float
    minimum, maximum : int
    target, activation : float
    path : str
        What is asked of the dashboard.
    value : str
        The field of the answer that counts.
    up, down : Behaviour
    """

    polling: float
    cooldown: float
    minimum: int
    maximum: int
    target: float
    activation: float
    path: str
    value: str
    up: Behaviour
    down: Behaviour


def read_scaled_object() -> ScaledObject:
    """Build the overlay and read it; a field that is missing, or that the rule here does not know, is an error."""
    kubectl = Path(sys.executable).with_name("kubectl")
    built = subprocess.run([kubectl, "kustomize", _OVERLAY], stdout=subprocess.PIPE, text=True, check=True)
    (spec,) = (one["spec"] for one in yaml.safe_load_all(built.stdout) if one["kind"] == "ScaledObject")
    (trigger,) = spec["triggers"]
    if (trigger["type"], trigger["metricType"]) != ("metrics-api", "AverageValue"):
        raise ValueError(f"only a metrics-api trigger of an average value can be played, not {trigger}")
    if {"fallback", "idleReplicaCount", "initialCooldownPeriod"} & spec.keys():
        raise ValueError("a fallback, idle replicas and a cool-down at the start cannot be played")
    url = urlsplit(trigger["metadata"]["url"])
    behaviour = spec["advanced"]["horizontalPodAutoscalerConfig"]["behavior"]
    return ScaledObject(
        polling=spec["pollingInterval"],
        cooldown=spec["cooldownPeriod"],
        minimum=spec["minReplicaCount"],
        maximum=spec["maxReplicaCount"],
        target=float(trigger["metadata"]["targetValue"]),
        activation=float(trigger["metadata"]["activationTargetValue"]),
        path=f"{url.path}?{url.query}",
        value=trigger["metadata"]["valueLocation"],
        up=_behaviour(behaviour["scaleUp"]),
        down=_behaviour(behaviour["scaleDown"]),
    )


def _behaviour(given: dict[str, Any]) -> Behaviour:
    if given.get("selectPolicy", "Max") != "Max":
        raise ValueError("only the policy that allows most can be played")
    policies = (Policy(one["type"], one["value"], one["periodSeconds"]) for one in given["policies"])
    return Behaviour(given["stabilizationWindowSeconds"], tuple(policies))
