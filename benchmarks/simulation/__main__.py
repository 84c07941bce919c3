"""Measure, validate, simulate: ``python -m benchmarks.simulation [validate|simulate]``; without a word, both."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from benchmarks.simulation import costs
from benchmarks.simulation.model import Order

_ROOT = Path(__file__).resolve().parents[2]


def validate(before: Path | None) -> None:
    """Measure all costs on real servers, run what the simulation is held against, and keep both."""
    # Only here: what is simulated needs no servers.
    from benchmarks.cluster.servers import Servers
    from benchmarks.machine import description
    from benchmarks.simulation import kernels, measure, validation

    machine = description()
    print("kernels ...", flush=True)
    computed = kernels.measured()
    with Servers.started() as servers:
        print("services ...", flush=True)
        trees = {"now": _ROOT} if before is None else {"before": before, "now": _ROOT}
        found = measure.services(servers, trees)
        print("runs to compare with ...", flush=True)
        compared = validation.run(servers)
        orders: dict[Order, Path] = {"workers": _ROOT} if before is None else {"shards": before, "workers": _ROOT}
        kept = validation.run_kept(servers, orders)
    record = costs.load() if costs.MEASURED.exists() else {}
    record |= {name: costs.to_json(costs.Costs(computed, each)) for name, each in found.items()}
    record |= {"machine": machine, "cores": validation.cores(), "runs": [asdict(run) for run in compared]}
    # Of a version that was not measured again, what is known stays.
    old = [run for run in record.get("kept", []) if run["order"] not in orders]
    record["kept"] = old + [asdict(run) for run in kept]
    costs.MEASURED.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def simulate() -> None:
    """Write docs/scale.md, docs/sizing.md and the curves."""
    from benchmarks.simulation import pages

    for name, text in pages.written().items():
        path = _ROOT / "docs" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(path)


def main() -> None:
    """Do what is asked."""
    parser = argparse.ArgumentParser(prog="benchmarks.simulation", description=__doc__)
    parser.add_argument("what", nargs="?", choices=("validate", "simulate"))
    parser.add_argument("--before", type=Path, metavar="FOLDER", help="a checkout of a version to measure as well")
    arguments = parser.parse_args()
    if arguments.what != "simulate":
        validate(arguments.before)
    if arguments.what != "validate":
        simulate()


if __name__ == "__main__":
    main()
