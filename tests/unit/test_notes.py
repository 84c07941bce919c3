"""Notes and errors are data: each border names options in its own way, and nobody reads them out of a sentence."""

from __future__ import annotations

import ast
import copy
import doctest
import inspect
import json
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from disnplbm import NPLBM, InputError
from disnplbm.cli import flags
from disnplbm.cli.advice import fit_again
from disnplbm.cli.main import CLUSTER_COMMANDS, COMMANDS, SERVICES, cli
from disnplbm.data.reading import Reading
from disnplbm.errors import OptionsNeeded, RunError, WeightError, described
from disnplbm.estimator import parameters
from disnplbm.notes import Hint, Note, from_lines, from_plain, joined, say, to_lines, to_plain

ROOT = Path(__file__).parents[2]
OWN = (ROOT / "shared/disnplbm", ROOT / "services", ROOT / "dashboard/disnplbm_dashboard")
SCALES = Note("columns differ: use ", Hint("transform", "standardize"), kind="transform", place=["a", "b"])


def _below_the_command_line() -> Iterator[tuple[Path, ast.Module]]:
    for folder in OWN:
        for path in sorted(folder.rglob("*.py")):
            if "cli" not in path.relative_to(ROOT).with_suffix("").parts:
                yield path, ast.parse(path.read_text(encoding="utf-8"))


def _texts(tree: ast.Module) -> Iterator[ast.Constant]:
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
            yield node


def test_no_text_below_the_command_line_names_one_of_its_options() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{text.lineno}: {text.value!r}"
        for path, tree in _below_the_command_line()
        for text in _texts(tree)
        if re.search(r"--[a-z]", str(text.value))
    ]
    assert found == []


def test_every_option_that_a_hint_names_is_one_of_the_command_line() -> None:
    context = click.Context(cli)
    commands = [cli.get_command(context, name) for name in (*COMMANDS, *CLUSTER_COMMANDS, *SERVICES)]
    known = {
        option for command in commands if command for each in _with_parts(command) for option in flags.flags_of(each)
    }
    named = {
        call.args[0].value
        for _, tree in _below_the_command_line()
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "Hint"
        if isinstance(call.args[0], ast.Constant)
    }
    assert len(named) > 20
    assert {flags.name(str(option)) for option in named} <= known


def _with_parts(command: click.Command) -> list[click.Command]:
    return [command, *(command.commands.values() if isinstance(command, click.Group) else ())]


def test_no_page_looks_for_words_in_a_note_or_an_error() -> None:
    reads = re.compile(
        r"\b(note|notes|warning|message|problem|fault|error|detail|reason|sentence|text|said)\w*[!?]?"
        r"\.(includes|match|matchAll|search|startsWith|endsWith|indexOf|split)\("
        r"|\.test\((\w+\.)*(note|warning|message|problem|fault|error|detail|reason|sentence|said)\b"
    )
    pages = ROOT / "dashboard/web/src"
    # The texts of these are JSON and CSV.
    files = [path for path in pages.rglob("*.ts*") if path.name not in ("json.ts", "blocks.ts", "members.ts")]
    assert len(files) > 100
    found = [
        f"{path.relative_to(pages)}:{number}: {line.strip()}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if reads.search(line)
    ]
    assert found == []


def test_each_border_names_an_option_in_its_own_way() -> None:
    assert str(SCALES) == "columns differ: use transform = 'standardize'"
    assert SCALES.said(flags.flag) == "columns differ: use --transform standardize"
    assert SCALES.said(parameters.parameter) == "columns differ: use column_transform='standardize'"
    assert say("a text of an earlier version", flags.flag) == "a text of an earlier version"
    for module in (flags, parameters):
        assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("hint", "typed"),
    [
        (Hint("burn_in", 100), "--burn-in 100"),
        (Hint("transpose"), "--transpose"),
        (Hint("transpose", False), "--no-transpose"),
        (Hint("pair_moves", False), "--pair-moves off"),
        (Hint("class_column", "my class"), "--row-classes 'my class'"),
        (Hint("drop_columns", ("a", "b c")), "--drop-column a --drop-column 'b c'"),
    ],
)
def test_what_to_type(hint: Hint, typed: str) -> None:
    assert flags.flag(hint) == typed


def test_every_parameter_that_the_estimator_names_exists() -> None:
    there = [inspect.signature(function).parameters for function in (NPLBM, NPLBM.save)]
    assert set(parameters.NAMES.values()) <= set().union(*there)


def test_notes_keep_what_they_name_on_every_way() -> None:
    whole = Note("shard 3 failed 2 times: ", SCALES)
    for way in (
        lambda note: from_plain(json.loads(json.dumps(to_plain(note)))),
        lambda note: from_lines(to_lines(note)),
        lambda note: pickle.loads(pickle.dumps(note)),
        copy.deepcopy,
        lambda note: InputError(InputError(note).note).note,
        lambda note: described(RunError(note)),
    ):
        came = way(whole)
        assert isinstance(came, Note)
        assert (str(came), came.parts, came.kind) == (str(whole), whole.parts, "transform")


def test_a_text_that_names_nothing_stays_a_text() -> None:
    for text in ("plain", "two\nlines", Note("plain")):
        assert to_plain(text) == to_lines(text) == from_plain(to_plain(text)) == from_lines(to_lines(text)) == text


def test_what_was_cut_off_leaves_the_text() -> None:
    line = to_lines(SCALES)
    assert from_lines(line[:-5]) == str(SCALES)
    assert from_lines('text\n{"parts": 3}') == "text"


def test_hints_stand_one_behind_the_other() -> None:
    assert joined(" ", [Hint("header", True), Hint("missing", ("x",))]).said(flags.flag) == "--header yes --missing x"


def test_an_error_says_how_to_read_a_file() -> None:
    error = OptionsNeeded("x.csv: text", Reading(id_column="gene"))
    assert str(error) == "x.csv: text; read it with id_column = 'gene'"
    assert error.note.said(flags.flag) == "x.csv: text; read it with --id-column gene"


def test_what_fails_in_the_estimator_names_its_parameters() -> None:
    with (
        pytest.raises(WeightError, match=r"row r7: the log weights .*\(column_transform='standardize' helps\)"),
        parameters.in_parameters(),
    ):
        raise WeightError(7, "row r7")


def test_the_command_that_follows_the_advice_replaces_the_run() -> None:
    given = ["fit", "x.csv", "--transform=none", "--output", "my run"]
    assert fit_again([SCALES], given) == "disnplbm fit x.csv --output 'my run' --transform standardize --force"
    assert fit_again([SCALES], [*given, "--force"]) == fit_again([SCALES], given)
    assert fit_again(["plain", Note("many", kind="many-clusters")], given) is None
