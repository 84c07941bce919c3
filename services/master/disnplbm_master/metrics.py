"""What the master counts and times, for Prometheus."""

from __future__ import annotations

from prometheus_client import Counter, Histogram

from disnplbm.messaging.queues import INGEST_TASK, PREPARE_TASK, SWEEP_TASK

ITERATIONS = Counter("disnplbm_iterations", "Iterations committed.")
ITERATION_SECONDS = Histogram(
    "disnplbm_iteration_seconds",
    "From the publication of an iteration to its commit.",
    buckets=(0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300),
)
STEP_SECONDS = Histogram(
    "disnplbm_master_step_seconds",
    "The master's own part of an iteration: end of the join, column step, commit.",
    buckets=(0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10),
)
QUEUE_WAIT_SECONDS = Histogram(
    "disnplbm_queue_wait_seconds",
    "From the publication of a shard's task to its start.",
    buckets=(0.001, 0.01, 0.1, 1, 10, 100, 1000),
)
STATISTICS = Counter("disnplbm_statistics", "Statistics that arrived, by what became of them.", ["outcome"])
SHARDS_REDONE = Counter("disnplbm_shards_redone", "Shards that were asked for again, by reason.", ["reason"])
DEAD_LETTERS = Counter("disnplbm_dead_letters", "Tasks that the broker set aside, by task.", ["task"])
LATE_ITERATIONS = Counter("disnplbm_late_iterations", "Iterations of which something had to be asked for again.")
RUNS_FINISHED = Counter("disnplbm_runs_finished", "Runs that ended, by state.", ["state"])

# There from the start: the first one of a kind would be no increase to Prometheus.
SHARDS_REDONE.labels("failed")
for _task in (SWEEP_TASK, INGEST_TASK, PREPARE_TASK):
    DEAD_LETTERS.labels(_task)
