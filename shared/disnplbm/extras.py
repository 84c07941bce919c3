"""Libraries that only some installations have."""

from __future__ import annotations

import importlib
from typing import Any

from disnplbm.errors import InputError


def load(module: str, what: str, install: str) -> Any:
    """Import a library.

    Parameters
    ----------
    module : str
        Such as ``"matplotlib.pyplot"``.
    what : str
        What needs it, to begin the message with: "a picture".
    install : str
        What pip is to install.

    Raises
    ------
    InputError
        It is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != module.partition(".")[0]:
            raise
        raise InputError(f"{what} needs {error.name.partition('.')[0]}: pip install {install}") from error


def load_pandas() -> Any:
    """Import pandas; InputError if it is not installed."""
    return load("pandas", "a data frame", "pandas")
