"""Write how often each word stands in the description of each function of SciPy: documents x words, as a long table.

The SciPy that is installed has the descriptions. Each line of the file has a function, a word and a count; a word that
a description lacks has no line. A file beside it says which part of SciPy each function belongs to.
"""

from __future__ import annotations

import csv
import inspect
import re
import sys
import warnings
from collections import Counter
from importlib import import_module
from pathlib import Path

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

#: Modules whose functions are taken; a part of SciPy is what stands before the dot.
MODULES = (
    *("cluster.hierarchy", "cluster.vq", "fft", "integrate", "interpolate", "io", "linalg", "ndimage", "optimize"),
    *("signal", "sparse", "sparse.csgraph", "sparse.linalg", "spatial", "spatial.distance", "special", "stats"),
)

#: Fewest words of a description, fewest descriptions that have a word, and the largest share of all that may have it.
FEWEST_WORDS, RAREST, MOST_COMMON = 10, 5, 0.5


def describe_functions() -> dict[str, str]:
    """Description of each function and class, by its name without ``scipy``."""
    described = {}
    for module in MODULES:
        loaded = import_module(f"scipy.{module}")
        for name in loaded.__all__:
            text = inspect.getdoc(getattr(loaded, name))
            if not name.startswith("_") and not inspect.ismodule(getattr(loaded, name)) and text:
                described[f"{module}.{name}"] = text
    return described


def count_words(described: dict[str, str]) -> dict[str, Counter[str]]:
    """Count the words of each description, without words that are in nearly all, or in few of them."""
    counts = {
        name: Counter(word for word in re.findall(r"[a-z]{3,}", text.lower()) if word not in ENGLISH_STOP_WORDS)
        for name, text in described.items()
    }
    frequency = Counter(word for words in counts.values() for word in words)
    kept = {word for word, number in frequency.items() if RAREST <= number <= MOST_COMMON * len(counts)}
    counts = {name: Counter({word: n for word, n in words.items() if word in kept}) for name, words in counts.items()}
    return {name: words for name, words in counts.items() if len(words) >= FEWEST_WORDS}


def main(path: Path) -> None:
    """Write the table, and the part of each function."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        counts = count_words(describe_functions())
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["function", "word", "count"])
        table.writerows((name, word, n) for name, words in counts.items() for word, n in words.items())
    with path.with_name(f"{path.stem}-parts.csv").open("w", newline="", encoding="utf-8") as file:
        parts = csv.writer(file, lineterminator="\n")
        parts.writerow(["id", "class"])
        parts.writerows((name, name.partition(".")[0]) for name in counts)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
