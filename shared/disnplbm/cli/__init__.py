"""The command line: ``disnplbm``."""

from __future__ import annotations

from disnplbm.cli.entry import main

__all__ = ["main"]
