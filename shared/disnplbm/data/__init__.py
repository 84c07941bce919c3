"""From a file or an array to shards: readers, checks, transforms, and the streaming shard writer."""

from __future__ import annotations
