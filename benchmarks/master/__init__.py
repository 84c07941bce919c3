"""A benchmark of the master: ``python -m benchmarks.master [SHARDS...]`` says what an iteration costs it."""
