"""The experiments behind docs/results.md; run them with ``make studies``."""
