"""Tables of several parts: columns of several kinds in one file, and several files over the same rows."""
