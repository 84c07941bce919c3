"""The embedded engine: runs of one machine, with the tables and objects of a cluster and none of its services."""
