"""The local engine: all shards in one process, swept by threads."""
