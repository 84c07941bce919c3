"""The command group, and how errors end: one line on stderr, exit codes 0, 1, 2 and 130.

Commands live in modules of their own and are imported when called, so that ``--help`` answers at once. Services add
theirs through the entry point group ``disnplbm.commands``.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import sys
from importlib.metadata import entry_points
from types import FrameType
from typing import Any

import click

from disnplbm import __version__
from disnplbm.errors import DisnplbmError, InputError, Interrupted

#: Name, module and one-line help of each command; the help is here so that listing the commands imports none of them.
COMMANDS = {
    "fit": ("disnplbm.cli.fit", "Co-cluster a matrix."),
    "resume": ("disnplbm.cli.resume", "Go on with an interrupted run."),
    "predict": ("disnplbm.cli.predict", "Judge new rows by a run's draws."),
    "impute": ("disnplbm.cli.impute", "Fill in missing cells, with their uncertainty."),
    "calibrate": ("disnplbm.cli.calibrate", "Choose a likelihood power without labels."),
    "check": ("disnplbm.cli.check", "Look a matrix over before fitting it."),
    "generate": ("disnplbm.cli.generate", "Make a synthetic matrix with known blocks."),
    "score": ("disnplbm.cli.score", "Compare two label files: ARI and NMI."),
    "report": ("disnplbm.cli.report", "Write a run's report.html anew."),
}


class _Commands(click.Group):
    """Commands by name, from this package and from the entry points of services."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return [*COMMANDS, *sorted(self._services())]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name in COMMANDS:
            command: click.Command = importlib.import_module(COMMANDS[cmd_name][0]).command
            return command
        service = self._services().get(cmd_name)
        return service.load() if service is not None else None

    def invoke(self, ctx: click.Context) -> Any:
        # Before click turns it into an empty line and an Abort.
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted("interrupted before anything could be kept") from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])

    @staticmethod
    def _services() -> dict[str, Any]:
        return {point.name: point for point in entry_points(group="disnplbm.commands")}


@click.command(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Each command explains itself with examples: disnplbm COMMAND --help",
)
@click.version_option(__version__, prog_name="disnplbm")
def cli() -> None:
    """Co-cluster a large numeric matrix without saying how many clusters there are.

    \b
    Start here:
      disnplbm generate --output demo              a matrix with 10 x 3 known blocks
      disnplbm fit demo/x.npy --output demo/run    find them; then open demo/run/report.html
    """


def main() -> None:
    """Run the command line and exit."""
    signal.signal(signal.SIGTERM, _interrupt)
    # Names that a terminal cannot show are no reason to fail.
    with contextlib.suppress(AttributeError):
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(_run())


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _run() -> int:
    try:
        cli.main(standalone_mode=False)
        click.echo(nl=False)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        hint = f"; see {context.command_path} --help" if context is not None else ""
        return _fail(error.format_message().rstrip(".") + hint, 2)
    except (click.Abort, KeyboardInterrupt):
        return _fail("interrupted before anything could be kept", 130)
    except Interrupted as error:
        return _fail(str(error), 130)
    except InputError as error:
        return _fail(str(error), 2)
    except DisnplbmError as error:
        return _fail(str(error), 1)
    except OSError as error:
        # What is left is standard output: files and folders raise errors of our own.
        _abandon_stdout()
        return 1 if isinstance(error, BrokenPipeError) else _fail(f"cannot write the output: {error.strerror}", 1)
    except MemoryError:
        return _fail("out of memory; use more --shards, a machine with more memory, or fewer columns", 1)
    except Exception as error:
        # A fault of ours: no traceback for a user who did not ask for it.
        if os.environ.get("DISNPLBM_DEBUG"):
            raise
        what = f"{type(error).__name__}: {error}"
        return _fail(f"internal error ({what}); please report it, with what DISNPLBM_DEBUG=1 shows", 1)
    return 0


def _fail(message: str, code: int) -> int:
    click.echo(f"disnplbm: {' '.join(message.splitlines())}", err=True)
    return code


def _abandon_stdout() -> None:
    """Keep the interpreter from writing what is left in the buffer once more, and from complaining about it."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
