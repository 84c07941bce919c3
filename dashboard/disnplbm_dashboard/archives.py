"""A zip archive of files, made while it is sent."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping

from disnplbm_dashboard.spreadsheets import for_spreadsheet

#: Files that are compressed already.
_PACKED = (".npz",)


class _Sink:
    """A file that can only be written to, and gives what was written."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, data: bytes) -> int:
        """Append bytes."""
        self._pieces.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def take(self) -> bytes:
        """Take out what was written since the last time."""
        taken, self._pieces = b"".join(self._pieces), []
        return taken


def zip_files(
    files: Mapping[str, Callable[[], Iterable[memoryview]]], folder: str, *, spreadsheet: bool = False
) -> Iterator[bytes]:
    """Pack files into an archive, and yield its bytes, a few MB at a time.

    Parameters
    ----------
    files : mapping of str to callable
        What reads each of them in pieces, by their names in the archive.
    folder : str
        All of them are in it.
    spreadsheet : bool
        Whether tables are written as :func:`disnplbm_dashboard.spreadsheets.for_spreadsheet` does.
    """
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", allowZip64=True) as archive:  # type: ignore[call-overload]
        for name, read in files.items():
            info = zipfile.ZipInfo(f"{folder}/{name}")
            info.compress_type = zipfile.ZIP_STORED if name.endswith(_PACKED) else zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            with archive.open(info, "w", force_zip64=True) as file:
                parts: Iterable[bytes] = map(bytes, read())
                for part in for_spreadsheet(parts) if spreadsheet and name.endswith(".csv") else parts:
                    file.write(part)
                    yield sink.take()
    yield sink.take()
