"""Datasets and runs: what the database knows of them, and what of theirs is in the object store."""
