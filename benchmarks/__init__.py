"""Speed and memory of this machine, and what a user would pick instead; run it with ``make bench``."""

from __future__ import annotations

import sys
from pathlib import Path

# Servers, problems and clients of the tests are used here too.
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
