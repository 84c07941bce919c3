"""The worker: sweeps a shard and sends its statistics; reads and shards data."""
