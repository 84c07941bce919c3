"""Arrays of an archive that ``numpy.savez`` wrote, where they lie: nothing is copied that is not looked at."""

from __future__ import annotations

import io
import struct
import zipfile
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from disnplbm.errors import RunError
from disnplbm.objects.arrays import parse_header
from disnplbm.objects.store import ObjectStore

#: Of a file in an archive: what comes before its name, with the lengths of the name and of what follows it.
_LOCAL = struct.Struct("<26xHH")


def view_arrays(store: ObjectStore, key: str) -> dict[str, NDArray[Any]]:
    """Arrays of an object, by their names: views of a file in a folder, or of the whole object from elsewhere.

    Raises
    ------
    RunError
        The object is missing or damaged.
    """
    view = store.view(key)
    body = store.get(key) if view is None else view
    try:
        with zipfile.ZipFile(cast(Any, _Window(body))) as archive:
            return {info.filename.removesuffix(".npy"): _array(body, info, key) for info in archive.infolist()}
    except (zipfile.BadZipFile, struct.error, ValueError, NotImplementedError) as error:
        raise damaged(key) from error


def damaged(key: str) -> RunError:
    """What to say of an object that does not hold what it should."""
    return RunError(f"object {key} is damaged: delete the run's dataset, and upload it again")


def _array(body: memoryview, info: zipfile.ZipInfo, key: str) -> NDArray[Any]:
    if info.compress_type != zipfile.ZIP_STORED:
        raise ValueError("what is compressed cannot be looked at where it lies")
    name, extra = _LOCAL.unpack_from(body, info.header_offset)
    inside = body[info.header_offset + _LOCAL.size + name + extra :][: info.file_size]
    shape, dtype, begin = parse_header(inside, key)
    return np.frombuffer(inside, dtype, int(np.prod(shape)), begin).reshape(shape)


class _Window(io.RawIOBase):
    """Bytes in memory as a file that is read, without a copy of all of them."""

    def __init__(self, body: memoryview) -> None:
        super().__init__()
        self._body, self._at = body, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = max(0, offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: len(self._body)}[whence])
        return self._at

    def readinto(self, buffer: Any) -> int:
        part = self._body[self._at : self._at + len(buffer)]
        buffer[: len(part)] = part
        self._at += len(part)
        return len(part)
