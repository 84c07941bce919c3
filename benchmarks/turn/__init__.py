"""A benchmark of a worker's turn: ``python -m benchmarks.turn`` says what a task takes beside its sweep, and where."""
