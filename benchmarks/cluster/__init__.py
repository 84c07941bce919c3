"""Benchmarks of a cluster on real servers: ``make bench-cluster`` writes docs/cluster-benchmarks.md."""
