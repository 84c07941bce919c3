"""The master: publishes iterations, joins what the shards send, makes the column step and commits."""
