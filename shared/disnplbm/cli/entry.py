"""Where the program begins: signals are answered before anything slow is imported."""

from __future__ import annotations

from disnplbm.cli.interruption import interruption


def main() -> None:
    """Run the command line and exit."""
    interruption.install()
    from disnplbm.cli.main import run

    interruption.begin()
    interruption.exit(run())
