"""Runs from afar: over the HTTP API of a server, or straight from the cluster's database and object store."""
