"""The command group, and how errors end: one line on stderr, exit codes 0, 1, 2 and 130.

Commands live in modules of their own and are imported when called, so that ``--help`` answers at once. Services add
theirs through the entry point group ``disnplbm.commands``.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import os
import sys
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import click

from disnplbm import __version__
from disnplbm.cli.flags import flag
from disnplbm.cli.interruption import CODE, UNFINISHED, interruption
from disnplbm.errors import DisnplbmError, InputError, Interrupted, OptionsNeeded

#: Name, module and one-line help of each command; the help is here so that listing the commands imports none of them.
COMMANDS = {
    "fit": ("disnplbm.cli.fit", "Co-cluster a matrix."),
    "resume": ("disnplbm.cli.resume", "Continue an interrupted run."),
    "cut": ("disnplbm.cli.cut", "Merge the clusters of a run down to as many as you want."),
    "explain": ("disnplbm.cli.explain", "Say what makes each cluster of a run."),
    "predict": ("disnplbm.cli.predict", "Assign new rows to the clusters of a run."),
    "impute": ("disnplbm.cli.impute", "Fill in missing cells, with their uncertainty."),
    "calibrate": ("disnplbm.cli.calibrate", "Choose a likelihood power without labels."),
    "check": ("disnplbm.cli.check", "Check a matrix before fitting."),
    "generate": ("disnplbm.cli.generate", "Make a synthetic matrix with known blocks."),
    "score": ("disnplbm.cli.score", "Compare two label files: ARI and NMI."),
    "report": ("disnplbm.cli.report", "Write a run's report.html again."),
}

#: Likewise, of the commands for a cluster.
CLUSTER_COMMANDS = {
    "submit": ("disnplbm.cli.submit", "Submit a matrix to the cluster."),
    "status": ("disnplbm.cli.status", "List runs, or show the state of one."),
    "watch": ("disnplbm.cli.watch", "Show a run's progress and result."),
    "pause": ("disnplbm.cli.pause", "Pause a run (`resume` continues it)."),
    "cancel": ("disnplbm.cli.cancel", "End a run for good."),
    "download": ("disnplbm.cli.download", "Fetch the folder of a run that succeeded."),
    "doctor": ("disnplbm.cli.doctor", "Check every service, and say how to repair it."),
    "migrate": ("disnplbm.cli.migrate", "Make or upgrade the database's tables."),
    "clean": ("disnplbm.cli.clean", "Remove what nobody needs any more."),
}

#: One-line help of commands that services add.
SERVICES = {
    "master": "Run the master of a cluster.",
    "serve": "Serve the dashboard and its API.",
    "token": "Make, list and revoke tokens of the API.",
    "worker": "Run a worker of a cluster.",
}

#: What a command needs besides the plain package: the extra that brings it.
EXTRAS = {
    **dict.fromkeys((*CLUSTER_COMMANDS, "resume", "master", "worker"), "cluster"),
    **dict.fromkeys(("serve", "token"), "dashboard"),
}

_MODULES = {name: module for name, (module, _) in (COMMANDS | CLUSTER_COMMANDS).items()}


#: Name of the command that was called, in click's context.
_CALLED = "disnplbm.called"


class _Commands(click.Group):
    """Commands by name, from this package and from the entry points of services."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return [*_MODULES, *sorted(self._services())]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        ctx.meta[_CALLED] = cmd_name
        if cmd_name in _MODULES:
            command: click.Command = importlib.import_module(_MODULES[cmd_name]).command
            return command
        service = self._services().get(cmd_name)
        loaded: click.Command | None = None if service is None else service.load()
        return loaded

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        # The services' commands are looked for among all packages that are installed, which takes time.
        known = _MODULES if args[0] in _MODULES else self.list_commands(ctx)
        if args[0] not in known and (close := difflib.get_close_matches(args[0], known, n=1)):
            ctx.fail(f"No such command {args[0]!r} (did you mean {close[0]}?)")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        # Before click turns it into an empty line and an Abort.
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise Interrupted(UNFINISHED) from None
        except ModuleNotFoundError as error:
            extra = EXTRAS.get(ctx.meta.get(_CALLED, ""))
            if extra is None or (error.name or "").startswith("disnplbm"):
                raise
            raise InputError(
                f"this needs the packages of the {extra} ({error.name} is not installed): pip install"
                f" 'disnplbm[{extra}]'"
            ) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])
        services = [(name, SERVICES.get(name, "")) for name in sorted(self._services())]
        with formatter.section("On a cluster"):
            formatter.write_dl([*((name, text) for name, (_, text) in CLUSTER_COMMANDS.items()), *services])

    @staticmethod
    def _services() -> dict[str, EntryPoint]:
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


def run() -> int:
    """Run the command that the words of the command line name; its exit code."""
    # Names that a terminal cannot show are no reason to fail.
    with contextlib.suppress(AttributeError):
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        # A number where a command ended itself by Context.exit, else what it returned, which is nothing.
        code = cli.main(standalone_mode=False)
        interruption.settle()
        click.echo(nl=False)
    except SystemExit as ended:
        # A service that was told to stop.
        return int(ended.code or 0)
    except click.exceptions.NoArgsIsHelpError as error:
        interruption.settle()
        click.echo(error.format_message(), err=True)
        return 2
    except click.ClickException as error:
        context = getattr(error, "ctx", None)
        hint = f"; see {context.command_path} --help" if context is not None else ""
        return _fail(error.format_message().rstrip(".") + hint, 2)
    except (click.Abort, KeyboardInterrupt):
        return _fail(UNFINISHED, CODE)
    except OptionsNeeded as error:
        return _fail(_advised(error), 2)
    except DisnplbmError as error:
        return _fail(error.note.said(flag), _code(error))
    except OSError as error:
        # What is left is standard output: files and folders raise errors of our own.
        _abandon_stdout()
        return 1 if isinstance(error, BrokenPipeError) else _fail(f"cannot write the output: {error.strerror}", 1)
    except MemoryError:
        return _fail(
            "this needs more memory than there is: use more --shards, a machine with more memory, or fewer columns", 1
        )
    except Exception as error:
        if interruption.received:
            # A library made another error of the interruption.
            return _fail(UNFINISHED, CODE)
        # A fault of ours: no traceback for a user who did not ask for it.
        if os.environ.get("DISNPLBM_DEBUG", "0") not in ("", "0"):
            raise
        what = f"{type(error).__name__}: {error}"
        return _fail(f"internal error ({what}); please report it, with what DISNPLBM_DEBUG=1 shows", 1)
    return code or 0


def _code(error: DisnplbmError) -> int:
    if isinstance(error, Interrupted):
        return CODE
    return 2 if isinstance(error, InputError) else 1


def _advised(error: OptionsNeeded) -> str:
    from disnplbm.cli.advice import advised

    arguments = sys.argv[1:]
    command = cli.get_command(click.Context(cli), arguments[0])
    assert command is not None
    return advised(error, arguments, command)


def _fail(message: str, code: int) -> int:
    interruption.settle()
    click.echo(f"disnplbm: {' '.join(message.splitlines())}", err=True)
    return code


def _abandon_stdout() -> None:
    """Keep the interpreter from writing what is left in the buffer once more, and from complaining about it."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
