"""Benchmarks of the dashboard on a real server: ``make bench-dashboard`` writes docs/dashboard-benchmarks.md."""
