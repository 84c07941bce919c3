# For type checkers: what the package's lazy __getattr__ gives.
from disnplbm.estimator import NPLBM as NPLBM

__version__: str
