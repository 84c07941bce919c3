"""Alert rules, charts and their pages speak of metrics that there are."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client import REGISTRY

import disnplbm_master.metrics
import disnplbm_worker.metrics
from disnplbm_dashboard.app import create_app
from services.dashboard import EmbeddedParts

from .conftest import REPOSITORY

FOLDER = REPOSITORY / "k8s/observability"

#: Of Prometheus itself, of the kubelet and of RabbitMQ's own plugin.
FOREIGN = {
    "up",
    "kubelet_volume_stats_available_bytes",
    "kubelet_volume_stats_capacity_bytes",
    "rabbitmq_alarms_free_disk_space_watermark",
}

_WORDS = {"absent", "and", "by", "clamp_max", "count", "histogram_quantile", "increase", "max", "offset", "rate", "sum"}

_ENDINGS = {"histogram": ("_bucket", "_sum", "_count"), "counter": ("",), "gauge": ("",)}


def rules() -> list[dict[str, Any]]:
    """All of them."""
    return [rule for group in yaml.safe_load((FOLDER / "alerts.yml").read_text())["groups"] for rule in group["rules"]]


def alerts() -> list[dict[str, Any]]:
    """Those that wake somebody."""
    return [rule for rule in rules() if "alert" in rule]


def charts() -> list[str]:
    """Expressions of the dashboard."""
    panels = json.loads((FOLDER / "dashboard.json").read_text())["panels"]
    return [target["expr"] for panel in panels for target in panel.get("targets", [])]


def metrics_in(expression: str) -> set[str]:
    """Names of metrics in an expression."""
    bare = re.sub(r'"[^"]*"|\[[^\]]*\]', "", expression)
    bare = re.sub(r"\{[^}]*\}|\bby \([^)]*\)|\boffset \w+", "", bare)
    return set(re.findall(r"[A-Za-z_:][\w:]*", bare)) - _WORDS


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Iterator[set[str]]:
    """What master, workers and dashboard serve, and what the rules make of it."""
    assert disnplbm_master.metrics
    assert disnplbm_worker.metrics
    found = {
        f"{metric.name}{'_total' if metric.type == 'counter' else ''}{ending}"
        for metric in REGISTRY.collect()
        if metric.name.startswith("disnplbm_")
        for ending in _ENDINGS[metric.type]
    }
    parts = EmbeddedParts(tmp_path_factory.mktemp("dashboard"), broker_url="amqp://127.0.0.1:1//")
    client = create_app(parts.backend).test_client()
    client.get("/api/v1/health")
    for name, kind in re.findall(r"^# TYPE (\w+) (\w+)$", client.get("/metrics").text, re.MULTILINE):
        found |= {f"{name}{ending}" for ending in _ENDINGS[kind]}
    yield found | FOREIGN | {rule["record"] for rule in rules() if "record" in rule}
    parts.database.close()


def test_every_metric_of_a_rule_or_chart_is_served(exported: set[str]) -> None:
    used = set().union(*map(metrics_in, [rule["expr"] for rule in rules()] + charts()))
    assert used - exported == set()
    assert {"disnplbm_oldest_iteration_seconds", "disnplbm:workers", "disnplbm_queue_wait_seconds_bucket"} <= used


def test_prometheus_takes_rules_and_charts(tmp_path: Path) -> None:
    # Charts as if they were rules, and what Grafana fills in filled in.
    group = {
        "name": "charts",
        "rules": [
            {"record": f"chart:{number}", "expr": expression.replace("$__rate_interval", "5m")}
            for number, expression in enumerate(charts())
        ],
    }
    page = tmp_path / "charts.yml"
    page.write_text(yaml.safe_dump({"groups": [group]}))
    done = _promtool("check", "rules", str(FOLDER / "alerts.yml"), str(page))
    assert done.returncode == 0, done.stdout + done.stderr


def test_alerts_fire_when_they_should() -> None:
    done = _promtool("test", "rules", str(FOLDER / "alerts.test.yml"))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("alert", alerts(), ids=lambda alert: str(alert["alert"]))
def test_an_alert_has_a_page_and_a_case(alert: dict[str, Any]) -> None:
    page = REPOSITORY / alert["annotations"]["runbook"]
    assert page.read_text().startswith(f"# {alert['alert']}\n")
    assert f'"{alert["alert"]}"' in (FOLDER / "alerts.test.yml").read_text()


def test_there_is_no_page_of_an_alert_that_is_not() -> None:
    names = {page.name for page in (REPOSITORY / "docs/runbook").iterdir()} - {"README.md"}
    pages = {f"docs/runbook/{name}" for name in names}
    assert pages == {alert["annotations"]["runbook"] for alert in alerts()}


def test_what_is_scraped_are_the_jobs_of_the_rules() -> None:
    jobs = {one["job_name"] for one in yaml.safe_load((FOLDER / "scrape.yml").read_text())["scrape_configs"]}
    named = set(re.findall(r'job="([\w-]+)"', (FOLDER / "alerts.yml").read_text()))
    assert named == {"disnplbm-master", "disnplbm-dashboard"}
    assert "disnplbm-dashboard" in jobs
    assert "disnplbm-pods" in jobs


def _promtool(*arguments: str) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(["promtool", *arguments], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.fail("promtool is missing: run `make system`, or apt-get install prometheus")
