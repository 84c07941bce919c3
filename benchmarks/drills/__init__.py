"""Operations played on real servers: ``python -m benchmarks.drills`` writes docs/drills.md."""
