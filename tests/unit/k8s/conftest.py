"""Every overlay of k8s/, as kubectl builds it."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

REPOSITORY = Path(__file__).resolve().parents[3]

#: That of the autoscaler on the servers in the cluster is no overlay, but is said to work.
LOCAL_KEDA = "local-keda"

OVERLAYS = (*sorted(path.name for path in (REPOSITORY / "k8s/overlays").iterdir()), LOCAL_KEDA)

#: Kinds that keep pods.
WORKLOADS = ("Deployment", "StatefulSet", "Job", "CronJob")

Manifest = dict[str, Any]


class Overlay:
    """What would be applied.

    Parameters
    ----------
    name : str
    manifests : list of dict
    """

    def __init__(self, name: str, manifests: list[Manifest]) -> None:
        self.name, self.manifests = name, manifests

    def of_kind(self, *kinds: str) -> list[Manifest]:
        """The objects of some kinds."""
        return [one for one in self.manifests if one["kind"] in kinds]

    def find(self, kind: str, name: str) -> Manifest:
        """One object."""
        (found,) = (one for one in self.of_kind(kind) if one["metadata"]["name"] == name)
        return found

    def pods(self) -> Iterator[tuple[Manifest, Manifest]]:
        """Each workload, and the template of its pods."""
        for one in self.of_kind(*WORKLOADS):
            job = one["spec"]["jobTemplate"] if one["kind"] == "CronJob" else one
            yield one, job["spec"]["template"]

    def containers(self) -> Iterator[tuple[Manifest, Manifest]]:
        """Each container with the workload that it belongs to."""
        for workload, template in self.pods():
            for container in template["spec"].get("initContainers", []) + template["spec"]["containers"]:
                yield workload, container

    def component(self, name: str) -> tuple[Manifest, Manifest]:
        """Pod and first container of a component."""
        (pod,) = (pod for workload, pod in self.pods() if workload["metadata"]["name"] == name)
        return pod["spec"], pod["spec"]["containers"][0]

    def settings(self) -> dict[str, str]:
        """What all containers are told."""
        (found,) = self.of_kind("ConfigMap")
        data: dict[str, str] = found["data"]
        return data


def secret_text() -> str:
    """What `make k8s-secret` writes."""
    spec = importlib.util.spec_from_file_location("k8s_secret", REPOSITORY / "k8s/overlays/local/secret.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return str(module.text())


@pytest.fixture(scope="session")
def secret() -> dict[str, str]:
    """A Secret as `make k8s-secret` writes it."""
    return dict(line.split("=", 1) for line in secret_text().splitlines())


@pytest.fixture(scope="session")
def overlays(tmp_path_factory: pytest.TempPathFactory, secret: dict[str, str]) -> dict[str, Overlay]:
    """All of them, by name."""
    root = tmp_path_factory.mktemp("kustomize") / "k8s"
    shutil.copytree(REPOSITORY / "k8s", root)
    lines = "".join(f"{name}={value}\n" for name, value in secret.items())
    (root / "overlays/local/secret.env").write_text(lines)
    shutil.copytree(root / "overlays/keda", root / "overlays" / LOCAL_KEDA)
    page = root / "overlays" / LOCAL_KEDA / "kustomization.yaml"
    page.write_text(page.read_text().replace("../production", "../local"))
    kubectl = Path(sys.executable).with_name("kubectl")
    found = {}
    for name in OVERLAYS:
        built = subprocess.run(
            [kubectl, "kustomize", root / "overlays" / name], capture_output=True, text=True, check=False
        )
        assert (built.returncode, built.stderr) == (0, ""), built.stderr
        found[name] = Overlay(name, list(yaml.safe_load_all(built.stdout)))
    return found


@pytest.fixture(params=OVERLAYS)
def overlay(request: pytest.FixtureRequest, overlays: dict[str, Overlay]) -> Overlay:
    """Each in turn."""
    return overlays[request.param]


@pytest.fixture(scope="session")
def compose() -> Manifest:
    """docker-compose.yml."""
    found: Manifest = yaml.safe_load((REPOSITORY / "docker-compose.yml").read_text())
    return found
