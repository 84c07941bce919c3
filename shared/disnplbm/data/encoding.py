"""Files that are not UTF-8 text: which encoding they seem to have, and the command that converts them."""

from __future__ import annotations

import shlex
from pathlib import Path

from disnplbm.data.formats import SPREADSHEET, is_packed, without_format
from disnplbm.errors import InputError

_CONTAINERS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""How files of spreadsheets begin: today's, and those from before 2007."""

_NUL_SHARE = 0.3
"""Text with a larger share of zero bytes at its even or its odd places is UTF-16: Latin letters have a share near 1."""

_LOOKED_AT = 2**20
"""Bytes of a line that are looked at."""

_NOT_IN_WINDOWS_1252 = frozenset(b"\x81\x8d\x8f\x90\x9d")


def check_text(head: bytes, path: Path) -> None:
    """Raise InputError if the first bytes of a file show that it is not UTF-8 text."""
    if head.startswith(_CONTAINERS):
        raise InputError(f"{path} holds no text but looks like {SPREADSHEET}")
    if head[:2] in (b"\xff\xfe", b"\xfe\xff") or _wide(head) is not None:
        raise refuse_encoding(head, path)
    if b"\r" in head[:-1] and b"\n" not in head:
        command = _command("tr '\\r' '\\n' <", path)
        raise InputError(f"{path} ends its lines by a carriage return alone; make line feeds of them: {command}")


def refuse_encoding(text: bytes, path: Path, line: int | None = None) -> InputError:
    """The error that says in which encoding text seems to be, with the command that makes UTF-8 of the file.

    Parameters
    ----------
    text : bytes
        Some of it, with the bytes that are not UTF-8.
    line : int, optional
        Where it is.
    """
    name, said = _encoding(text)
    where = f"{path}" if line is None else f"{path} line {line}"
    command = _command(f"iconv -f {name} -t UTF-8", path)
    return InputError(
        f"{where} is not UTF-8 text but looks like {said}; save it again as UTF-8, or convert it: {command}"
    )


def _encoding(text: bytes) -> tuple[str, str]:
    """The encoding as ``iconv`` calls it, and for people."""
    text = text[:_LOOKED_AT]
    if text[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "UTF-16", "UTF-16"
    if (wide := _wide(text)) is not None:
        return wide, wide
    if _NOT_IN_WINDOWS_1252.isdisjoint(text):
        return "WINDOWS-1252", "Windows-1252 (Latin-1)"
    return "ISO-8859-1", "ISO-8859-1 (Latin-1)"


def _wide(text: bytes) -> str | None:
    """The name of UTF-16 in its order of bytes, for text without a byte order mark; None if it is something else."""
    even, odd = text[::2], text[1::2]
    for name, high, low in (("UTF-16LE", odd, even), ("UTF-16BE", even, odd)):
        if high and high.count(0) > _NUL_SHARE * len(high) and low.count(0) < high.count(0) / 10:
            return name
    return None


def _command(program: str, path: Path) -> str:
    """The shell command that has a program convert the file, and writes the result beside it."""
    packed = is_packed(path)
    kind = Path(path.stem if packed else path.name).suffix
    name = f"{without_format(path.name)}-utf8{kind}"
    file, result = shlex.quote(str(path)), shlex.quote(str(path.with_name(name)))
    if packed:
        return f"gzip -dc {file} | {program.removesuffix(' <')} > {result}"
    return f"{program} {file} > {result}"
