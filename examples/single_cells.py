"""Write a folder as 10x Genomics' Cell Ranger does, with simulated cells of blood: 600 cells x 800 genes, of four types.

Genes differ a thousandfold in how much there is of them, and cells threefold in how many molecules were read. A type makes
more of its own 30 genes, the lymphocytes share 20, and each count is Poisson. The types are in a file beside the folder.
"""

from __future__ import annotations

import csv
import gzip
import sys
from pathlib import Path

import numpy as np
import scipy.io
from scipy.sparse import csc_array

CELLS, GENES = 600, 800

#: Types of cells, how frequent they are, and genes that are known to mark them.
TYPES = {
    "T cell": (0.45, ["CD3D", "CD3E", "IL7R", "TRAC", "LTB"]),
    "monocyte": (0.30, ["LYZ", "CD14", "S100A8", "S100A9", "FCN1"]),
    "B cell": (0.15, ["MS4A1", "CD79A", "CD79B", "BANK1", "TCL1A"]),
    "NK cell": (0.10, ["NKG7", "GNLY", "KLRD1", "PRF1", "GZMB"]),
}

#: Genes that each type makes more of, those above among them; genes that all types but monocytes make more of.
OWN, SHARED = 30, 20


def name_genes() -> list[str]:
    """Names of the genes: the own ones of each type, those of the lymphocytes, and the others."""
    own = [[*known, *(f"{known[0]}-like-{i}" for i in range(1, OWN - len(known) + 1))] for _, known in TYPES.values()]
    marks = [name for names in own for name in names] + [f"LYM{i}" for i in range(1, SHARED + 1)]
    return marks + [f"HK{i}" for i in range(1, GENES - len(marks) + 1)]


def simulate(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Types of the cells, and counts of cells x genes."""
    kinds = rng.choice(len(TYPES), CELLS, p=[share for share, _ in TYPES.values()])
    fold = np.ones((len(TYPES), GENES))
    for kind in range(len(TYPES)):
        fold[kind, kind * OWN : (kind + 1) * OWN] = 12.0
    fold[[kind for kind, name in enumerate(TYPES) if name != "monocyte"], len(TYPES) * OWN : len(TYPES) * OWN + SHARED] = 4.0
    abundance = rng.lognormal(0.0, 1.5, GENES)
    share = fold * abundance
    share /= share.sum(axis=1, keepdims=True)
    molecules = rng.lognormal(np.log(600.0), 0.4, CELLS)
    return kinds, rng.poisson(molecules[:, None] * share[kinds])


def main(folder: Path) -> None:
    """Write the folder, and the types."""
    rng = np.random.default_rng(0)
    kinds, counts = simulate(rng)
    barcodes = ["".join(letters) + "-1" for letters in rng.choice(list("ACGT"), (CELLS, 16))]
    folder.mkdir(parents=True, exist_ok=True)
    with gzip.open(folder / "matrix.mtx.gz", "wb") as file:
        scipy.io.mmwrite(file, csc_array(counts.T), field="integer")
    with gzip.open(folder / "barcodes.tsv.gz", "wt", encoding="utf-8") as file:
        file.writelines(f"{barcode}\n" for barcode in barcodes)
    with gzip.open(folder / "features.tsv.gz", "wt", encoding="utf-8") as file:
        file.writelines(f"G{i:05}\t{name}\tGene Expression\n" for i, name in enumerate(name_genes()))
    with folder.with_name(f"{folder.name}-types.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["id", "class"])
        writer.writerows((barcode, list(TYPES)[kind]) for barcode, kind in zip(barcodes, kinds, strict=True))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
