"""How every kernel is compiled."""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba import njit
from numba.core.caching import IndexDataCacheFile

# "reassoc" is left out on purpose: it ruins the polynomial logarithm. "numpy" errors: a possible division by zero is
# an early exit that would stop vectorisation.
OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": {"contract", "nsz"},
    "boundscheck": False,
}

_PACKAGES = (Path(__file__).parent, Path(__file__).parent.with_name("families"))
_FILES = sorted(path for package in _PACKAGES for path in package.rglob("*.py"))
_SOURCES = hashlib.sha256(b"".join(path.read_bytes() for path in _FILES)).hexdigest()


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that Python calls; kept on disk until any file of kernels or of families changes.

    By itself Numba looks at the function's own file only, and would go on with old code pasted in from the others.
    """
    return _compile(function, OPTIONS)


def rounding_kernel(function: Callable[..., Any]) -> Any:
    """Compile a function in which a product is rounded before it is added, as where an array lies in between."""
    return _compile(function, {**OPTIONS, "fastmath": False})


def _compile(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    try:
        compiled = njit(cache=True, **options)(function)
    except RuntimeError:
        # Neither the package's folder nor the user's can be written: compiled anew by every process.
        return njit(**options)(function)
    cache = compiled._cache
    cache._cache_file = _KernelFile(cache.cache_path, cache._impl.filename_base)
    return compiled


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a small function that only kernels call, pasted into them so that loops around it vectorise."""
    return njit(**OPTIONS, forceinline=True)(function)


class _KernelFile(IndexDataCacheFile):
    """Where Numba keeps a kernel: an index, and machine code for each kind of arguments.

    Code is never mistaken for code of other sources or of other arguments, whatever process writes beside this one or
    is killed while it writes: its name tells what it is, and it is there before the index names it.
    """

    def __init__(self, folder: str, name: str) -> None:
        super().__init__(folder, name, _SOURCES)
        # Compared before the rest of an index is read, which may name types that are gone.
        self._version = numba.__version__, _SOURCES
        self._folder, self._name = Path(folder), name

    def _load_index(self) -> dict[Any, str]:
        """What is kept; nothing, where a type among the arguments comes from a module that this process cannot import.

        A family of somebody's own is such a module.
        """
        try:
            found: dict[Any, str] = super()._load_index()
        except (ImportError, AttributeError):
            return {}
        return found

    def save(self, key: object, data: object) -> None:
        """Keep code if the disk has room; if not, the next process compiles it anew."""
        known = self._load_index()
        digest = hashlib.sha256(repr((self._version, key)).encode()).hexdigest()[:16]
        with suppress(OSError):
            if not known:
                for old in self._folder.glob(f"{glob.escape(self._name)}.*.nbc"):
                    old.unlink(missing_ok=True)
            self._save_data(f"{self._name}.{digest}.nbc", data)
            self._save_index(known | {key: f"{self._name}.{digest}.nbc"})
