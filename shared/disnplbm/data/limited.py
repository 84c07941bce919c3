"""A table that may take only so much room."""

from __future__ import annotations

from collections.abc import Iterator

from disnplbm.data.source import Chunk, Source
from disnplbm.errors import InputError


class LimitedSource:
    """A table whose cells take no more than so many bytes, however small its file is.

    Parameters
    ----------
    source : Source
    most : int
    """

    def __init__(self, source: Source, most: int) -> None:
        self.name, self.dimension = source.name, source.dimension
        self.bytes_total, self.notes = source.bytes_total, source.notes
        self._source, self._most = source, most

    @property
    def column_names(self) -> list[str]:
        """Those of the table."""
        return self._source.column_names

    def chunks(self) -> Iterator[Chunk]:
        """Read the table from its start; InputError where it is too large."""
        done = 0
        for chunk in self._source.chunks():
            done += chunk.values.nbytes
            if done > self._most:
                raise InputError(
                    f"{self.name} unpacks to more than {self._most:,} bytes of cells: send fewer rows, or raise"
                    " DISNPLBM_UPLOAD_LIMIT_BYTES"
                )
            yield chunk
