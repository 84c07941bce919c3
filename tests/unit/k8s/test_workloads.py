"""What our own rules say of every container, and what must agree with docker-compose.yml and the settings."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import time
from pathlib import Path

import pytest

from disnplbm.messaging import queues
from disnplbm.settings import PREFIX, Settings, read_settings

from .conftest import REPOSITORY, Manifest, Overlay

SERVICES = ("master", "worker", "dashboard")

SERVERS = ("rabbitmq", "redis", "postgres", "seaweedfs")

#: What the object store reads from the environment.
STORE = {"AWS_REGION", "AWS_ENDPOINT_URL", "AWS_ALLOW_HTTP", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}

KNOWN = {f"{PREFIX}{field}".upper() for field in Settings.model_fields} | STORE


def _is_ours(container: Manifest) -> bool:
    return "disnplbm" in container["image"]


def _environment(overlay: Overlay, container: Manifest, secret: dict[str, str]) -> dict[str, str]:
    """What a container of ours finds."""
    found = dict(overlay.settings()) if "envFrom" in container else {}
    for variable in container.get("env", []):
        if "value" in variable:
            found[variable["name"]] = variable["value"]
        else:
            reference = variable["valueFrom"]["secretKeyRef"]
            assert reference["name"] == "disnplbm"
            found[variable["name"]] = secret[reference["key"]]
    return found


def test_no_image_is_whatever_is_newest(overlay: Overlay) -> None:
    for _, container in overlay.containers():
        _, colon, tag = container["image"].rpartition("/")[2].partition(":")
        assert colon
        assert tag != "latest"


def test_the_images_are_those_of_compose(overlays: dict[str, Overlay], compose: Manifest) -> None:
    images = {container["image"] for _, container in overlays["local"].containers()}
    assert images == {service["image"] for service in compose["services"].values()}


def test_all_of_ours_are_one_image(overlay: Overlay) -> None:
    assert len({container["image"] for _, container in overlay.containers() if _is_ours(container)}) == 1


def test_every_container_has_limits(overlay: Overlay) -> None:
    for _, container in overlay.containers():
        for kind in ("requests", "limits"):
            assert set(container["resources"][kind]) == {"cpu", "memory", "ephemeral-storage"}


def test_a_worker_has_one_processor_and_a_second_where_one_is_free(overlay: Overlay) -> None:
    """One sweeps, and is what the autoscaler counts; the second one reads files meanwhile."""
    _, container = overlay.component("worker")
    assert [container["resources"][kind]["cpu"] for kind in ("requests", "limits")] == ["1", "2"]


def test_every_container_that_stays_has_probes(overlay: Overlay) -> None:
    for workload, container in overlay.containers():
        if workload["kind"] in ("Deployment", "StatefulSet"):
            assert {"startupProbe", "livenessProbe", "readinessProbe"} <= set(container)


def test_no_probe_asks_the_broker(overlay: Overlay) -> None:
    _, worker = overlay.component("worker")
    environment = {variable["name"]: variable.get("value") for variable in worker["env"]}
    heartbeat, ready = environment["DISNPLBM_HEARTBEAT_FILE"], environment["DISNPLBM_READY_FILE"]
    assert heartbeat in worker["livenessProbe"]["exec"]["command"][-1]
    assert ready in worker["readinessProbe"]["exec"]["command"]
    paths = {name: overlay.component(name)[1]["livenessProbe"]["httpGet"]["path"] for name in ("master", "dashboard")}
    assert paths == {"master": "/metrics", "dashboard": "/api/v1/health"}


def test_every_pod_is_locked_up(overlay: Overlay) -> None:
    for _, template in overlay.pods():
        pod = template["spec"]
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] > 0
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert not {"hostNetwork", "hostPID", "hostIPC"} & set(pod)
        assert not any("hostPath" in volume for volume in pod.get("volumes", []))
    for _, container in overlay.containers():
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }


def test_every_account_is_there_and_may_do_nothing(overlay: Overlay) -> None:
    accounts = {one["metadata"]["name"]: one for one in overlay.of_kind("ServiceAccount")}
    assert {pod["spec"]["serviceAccountName"] for _, pod in overlay.pods()} == set(accounts)
    assert not any(one["automountServiceAccountToken"] for one in accounts.values())
    assert overlay.of_kind("RoleBinding", "ClusterRoleBinding") == []


def test_the_settings_know_every_variable_and_take_its_value(
    overlay: Overlay, secret: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for _, container in overlay.containers():
        if not _is_ours(container):
            continue
        environment = _environment(overlay, container, secret)
        assert set(environment) <= KNOWN
        with monkeypatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            read_settings()


def test_workers_know_no_database(overlay: Overlay, secret: dict[str, str]) -> None:
    _, worker = overlay.component("worker")
    assert "DISNPLBM_DATABASE_URL" not in _environment(overlay, worker, secret)


def test_a_worker_may_end_its_shard(overlay: Overlay) -> None:
    pod, _ = overlay.component("worker")
    assert pod["terminationGracePeriodSeconds"] == int(overlay.settings()["DISNPLBM_TASK_SECONDS"]) + 30


def test_a_workers_cache_and_files_have_room(overlay: Overlay) -> None:
    pod, container = overlay.component("worker")
    rooms = {volume["name"]: _bytes(volume["emptyDir"]["sizeLimit"]) for volume in pod["volumes"]}
    assert rooms["shards"] > int(overlay.settings()["DISNPLBM_CACHE_DISK_BYTES"])
    assert rooms["tmp"] > 2 * int(overlay.settings()["DISNPLBM_UPLOAD_LIMIT_BYTES"])
    assert _bytes(container["resources"]["limits"]["ephemeral-storage"]) > sum(rooms.values())


def _bytes(size: str) -> int:
    return int(size.removesuffix("Gi")) * 2**30


def test_every_service_has_a_budget_and_is_spread(overlay: Overlay) -> None:
    budgets = {
        one["metadata"]["name"]: one["spec"]["selector"]["matchLabels"]
        for one in overlay.of_kind("PodDisruptionBudget")
    }
    for name in SERVICES:
        workload = overlay.find("Deployment", name)
        labels = workload["spec"]["template"]["metadata"]["labels"]
        assert budgets[name] == workload["spec"]["selector"]["matchLabels"]
        assert budgets[name].items() <= labels.items()
        for constraint in workload["spec"]["template"]["spec"]["topologySpreadConstraints"]:
            assert constraint["labelSelector"]["matchLabels"].items() <= labels.items()


@pytest.mark.parametrize("name", SERVICES)
def test_services_are_started_as_by_compose(overlays: dict[str, Overlay], compose: Manifest, name: str) -> None:
    _, container = overlays["local"].component(name)
    assert container["args"] == shlex.split(compose["services"][name]["command"])


@pytest.mark.parametrize("name", SERVERS)
def test_servers_are_set_up_as_by_compose(overlays: dict[str, Overlay], compose: Manifest, name: str) -> None:
    service = compose["services"][name]
    _, container = overlays["local"].component(name)
    variables = {variable["name"]: variable.get("value") for variable in container.get("env", [])}
    variables.pop("PGDATA", None)
    assert set(variables) == set(service["environment"])
    for variable, value in variables.items():
        assert value is None or value == service["environment"][variable]
    # Names of variables, which are resolved in other ways.
    started = [re.sub(r"\$\(\w+\)|\$\{[^}]*\}", "$", argument) for argument in container.get("args", [])]
    assert started == [re.sub(r"\$\{[^}]*\}", "$", argument) for argument in service.get("command", [])]
    if name == "redis":
        probe = service["healthcheck"]["test"][-1]
        assert container["livenessProbe"]["exec"]["command"][-1] == probe


def test_the_secret_template_names_what_is_needed(overlay: Overlay, secret: dict[str, str]) -> None:
    template = (REPOSITORY / "k8s/base/secret.template.yaml").read_text()
    named = set(re.findall(r"^  ([A-Z_]+): ", template, re.MULTILINE))
    wanted = set()
    for workload, template_ in overlay.pods():
        if workload["metadata"]["name"] in SERVERS:
            continue
        pod = template_["spec"]
        for volume in pod.get("volumes", []):
            wanted |= {item["key"] for item in volume.get("secret", {}).get("items", [])}
        for container in pod.get("initContainers", []) + pod["containers"]:
            wanted |= {v["valueFrom"]["secretKeyRef"]["key"] for v in container.get("env", []) if "valueFrom" in v}
    for authentication in overlay.of_kind("TriggerAuthentication"):
        wanted |= {target["key"] for target in authentication["spec"]["secretTargetRef"]}
    assert wanted <= named
    assert wanted <= set(secret)


def test_the_autoscaler_asks_the_dashboard(overlays: dict[str, Overlay]) -> None:
    for name in ("keda", "local-keda"):
        overlay = overlays[name]
        scaled = overlay.find("ScaledObject", "worker")["spec"]
        (trigger,) = scaled["triggers"]
        assert trigger["type"] == "metrics-api"
        assert re.fullmatch(
            rf"http://dashboard\.disnplbm\.svc/api/v1/workers/wanted\?cap={scaled['maxReplicaCount']}",
            trigger["metadata"]["url"],
        )
        assert overlay.find("Service", "dashboard")["spec"]["ports"][0]["port"] == 80
        authentication = overlay.find("TriggerAuthentication", trigger["authenticationRef"]["name"])
        assert authentication["spec"]["secretTargetRef"] == [
            {"parameter": "token", "name": "disnplbm", "key": "READ_TOKEN"}
        ]
        assert scaled["minReplicaCount"] == 0
        assert scaled["scaleTargetRef"]["name"] == "worker"
        assert "replicas" not in overlay.find("Deployment", "worker")["spec"]


def test_or_else_the_broker_of_its_queues(overlays: dict[str, Overlay]) -> None:
    scaled = overlays["keda-rabbitmq"].find("ScaledObject", "worker")["spec"]
    names = [trigger["metadata"]["queueName"] for trigger in scaled["triggers"]]
    assert names == [queues.SWEEP.name, queues.PREPARE.name]
    assert {trigger["type"] for trigger in scaled["triggers"]} == {"rabbitmq"}
    assert "replicas" not in overlays["keda-rabbitmq"].find("Deployment", "worker")["spec"]


def test_the_operators_broker_waits_as_long_as_the_settings_say(overlays: dict[str, Overlay]) -> None:
    text = (REPOSITORY / "k8s/examples/rabbitmq.yaml").read_text()
    seconds = int(overlays["production"].settings()["DISNPLBM_CONSUMER_TIMEOUT"])
    assert f"consumer_timeout = {seconds * 1000}\n" in text


@pytest.mark.parametrize("name", ["master", "worker"])
@pytest.mark.parametrize(("age", "outcome"), [(None, "waits"), (0, "lives"), (30, "lives"), (120, "ends")])
def test_compose_ends_what_hangs(compose: Manifest, tmp_path: Path, name: str, age: int | None, outcome: str) -> None:
    """Docker itself restarts only what ends."""
    service = compose["services"][name]
    beat = service["environment"]["DISNPLBM_HEARTBEAT_FILE"]
    kind, script = service["healthcheck"]["test"]
    assert (kind, service["restart"]) == ("CMD-SHELL", "unless-stopped")
    assert script.count(beat) == 2
    assert script.count("kill -s KILL -- -1") == 1
    file = tmp_path / "beat"
    if age is not None:
        file.touch()
        os.utime(file, (time.time() - age,) * 2)
    tried = script.replace(beat, str(file)).replace("kill -s KILL -- -1", "echo ended")
    done = subprocess.run(["sh", "-c", tried], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == {"waits": (1, ""), "lives": (0, ""), "ends": (1, "ended\n")}[outcome]
