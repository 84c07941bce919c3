"""Speed and memory of this machine, and what a user would pick instead; run it with ``make bench``."""
