"""Read a file and cut it into shards, nothing more: ``python -m benchmarks.ingest FILE FOLDER``."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from benchmarks.child import peak_memory
from disnplbm.data.dataset import ingest
from disnplbm.data.shards import prepare
from disnplbm.data.source import open_source
from disnplbm.objects.store import open_store


def main() -> None:
    """Print seconds and peak memory as JSON."""
    path, folder = Path(sys.argv[1]), sys.argv[2]
    began = time.perf_counter()
    store = open_store(folder)
    dataset = ingest(open_source(path), store, "dataset")
    read = time.perf_counter() - began
    prepare(dataset, store, "shards", n_shards="auto", axis="auto", transform="none")
    print(json.dumps({"read": read, "all": time.perf_counter() - began, "peak": peak_memory()}))


if __name__ == "__main__":
    main()
