"""Measure, validate, simulate: ``python -m benchmarks.simulation [validate|simulate]``; without a word, both."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from benchmarks.simulation import costs

_ROOT = Path(__file__).resolve().parents[2]


def validate() -> None:
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
        found = measure.services(servers)
        print("runs to compare with ...", flush=True)
        compared = validation.run(servers)
        kept = validation.run_kept(servers)
    record = {
        "costs": costs.to_json(costs.Costs(computed, found)),
        "machine": machine,
        "cores": validation.cores(),
        "runs": [asdict(run) for run in compared],
        "kept": [asdict(run) for run in kept],
    }
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
    what = parser.parse_args().what
    if what != "simulate":
        validate()
    if what != "validate":
        simulate()


if __name__ == "__main__":
    main()
