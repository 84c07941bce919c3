"""Write a folder as 10x Genomics' Cell Ranger does, with simulated blood: 600 cells x 800 genes, four types of cells.

Genes differ a thousandfold in how frequent they are, and cells tenfold in how many molecules were read. Each type makes
more of 30 genes of its own, all but the monocytes make more of 20 others, and each count is Poisson. A file beside the
folder has the types.
"""

from __future__ import annotations

import csv
import gzip
import sys
from pathlib import Path

import numpy as np
import scipy.io
from numpy.typing import NDArray
from scipy.sparse import csc_array

CELLS, GENES = 600, 800

#: Types of cells, how frequent they are, and genes that are known to mark them.
TYPES = {
    "T cell": (0.45, ["CD3D", "CD3E", "IL7R", "TRAC", "LTB"]),
    "monocyte": (0.30, ["LYZ", "CD14", "S100A8", "S100A9", "FCN1"]),
    "B cell": (0.15, ["MS4A1", "CD79A", "CD79B", "BANK1", "TCL1A"]),
    "NK cell": (0.10, ["NKG7", "GNLY", "KLRD1", "PRF1", "GZMB"]),
}

#: Genes that each type makes more of, those above among them, and genes that all types but the monocytes make more of.
OWN, SHARED = 30, 20


def name_genes() -> list[str]:
    """Names of the genes: the own ones of each type, the shared ones, and all others."""
    names = list[str]()
    for _, known in TYPES.values():
        names += [*known, *(f"{known[0]}-like-{i + 1}" for i in range(OWN - len(known)))]
    names += [f"LYM{i + 1}" for i in range(SHARED)]
    return names + [f"HK{i + 1}" for i in range(GENES - len(names))]


def simulate_counts(rng: np.random.Generator) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Types of the cells, and counts of cells x genes."""
    kinds = rng.choice(len(TYPES), CELLS, p=[share for share, _ in TYPES.values()])
    fold, shared = np.ones((len(TYPES), GENES)), slice(len(TYPES) * OWN, len(TYPES) * OWN + SHARED)
    for kind, name in enumerate(TYPES):
        fold[kind, kind * OWN : (kind + 1) * OWN] = 12.0
        fold[kind, shared] = 1.0 if name == "monocyte" else 4.0
    share = fold * rng.lognormal(0.0, 1.5, GENES)
    share /= share.sum(axis=1, keepdims=True)
    molecules = rng.lognormal(np.log(600.0), 0.4, CELLS)
    return kinds, rng.poisson(molecules[:, None] * share[kinds])


def main(folder: Path) -> None:
    """Write the folder, and the types."""
    rng = np.random.default_rng(0)
    kinds, counts = simulate_counts(rng)
    barcodes = ["".join(letters) + "-1" for letters in rng.choice(list("ACGT"), (CELLS, 16))]
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / "matrix.mtx.gz", "wb") as file:
        scipy.io.mmwrite(file, csc_array(counts.T), field="integer")
    with gzip.open(folder / "barcodes.tsv.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(f"{barcode}\n" for barcode in barcodes)
    with gzip.open(folder / "features.tsv.gz", "wt", encoding="utf-8") as lines:
        lines.writelines(f"G{i:05}\t{name}\tGene Expression\n" for i, name in enumerate(name_genes()))
    with folder.with_name(f"{folder.name}-types.csv").open("w", newline="", encoding="utf-8") as types:
        writer = csv.writer(types, lineterminator="\n")
        writer.writerow(["id", "class"])
        writer.writerows((barcode, list(TYPES)[kind]) for barcode, kind in zip(barcodes, kinds, strict=True))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
