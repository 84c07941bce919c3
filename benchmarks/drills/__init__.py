"""Operations played on real servers: ``python -m benchmarks.drills`` writes docs/drills.md."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
