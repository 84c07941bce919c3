# For type checkers: what the package's lazy __getattr__ gives, and what it has at once.
from disnplbm.errors import DataWarning as DataWarning
from disnplbm.errors import InputError as InputError
from disnplbm.estimator import NPLBM as NPLBM

__all__ = ["NPLBM", "DataWarning", "InputError", "__version__"]

__version__: str
