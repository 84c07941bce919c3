"""Real files of every format, with something changed in them at random: as disks, programs and people change them."""

from __future__ import annotations

import gzip
import io
import random
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import anndata
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import scipy.io
import scipy.sparse as sp

#: Numbers that programs trip over, as bytes.
EXTREMES = tuple(
    number.to_bytes(width, order, signed=True)
    for width in (1, 2, 4, 8)
    for number in (-1, 0, 1, 2 ** (8 * width - 1) - 1, -(2 ** (8 * width - 1)))
    for order in ("little", "big")
)

WORDS = (b",", b"\n", b'"', b"\r", b"\0", b"\t", b";", b" ", b"-", b"e", b"nan", b"1e999", b"9" * 30, b"\xff", b"=1")


def real_files(folder: Path) -> dict[str, bytes]:
    """A small table as every format has it, by file name."""
    generator = np.random.default_rng(0)
    cells = np.round(generator.normal(size=(30, 8)), 3)
    cells[generator.random((30, 8)) < 0.5] = 0
    names = [f"r{i}" for i in range(30)]
    frame = pd.DataFrame(cells, columns=[f"c{j}" for j in range(8)], index=pd.Index(names, name="id"))
    files = {
        "x.csv": frame.to_csv().encode(),
        "plain.csv": frame.to_csv(index=False, header=False).encode(),
        "x.tsv": frame.to_csv(sep="\t").encode(),
        "semicolons.csv": frame.to_csv(sep=";", decimal=",").encode(),
        "x.txt": frame.to_csv(sep=" ").encode(),
    }
    files["x.csv.gz"] = gzip.compress(files["x.csv"], mtime=0)

    def kept(name: str, write: Callable[[Path], object]) -> None:
        write(folder / name)
        files[name] = (folder / name).read_bytes()

    kept("x.npy", lambda path: np.save(path, cells))
    kept("fortran.npy", lambda path: np.save(path, np.asfortranarray(cells)))
    kept("triples.npy", lambda path: np.save(path, cells.reshape(30, 2, 4)))
    kept("x.npz", lambda path: np.savez(path, x=cells))
    kept("packed.npz", lambda path: np.savez_compressed(path, x=np.asfortranarray(cells)))
    for kind in ("csr", "csc", "coo", "bsr", "dia"):
        kept(f"{kind}.npz", lambda path, kind=kind: sp.save_npz(path, sp.coo_array(cells).asformat(kind)))
    for packing in ("snappy", "zstd", "none"):
        kept(f"{packing}.parquet", lambda path, packing=packing: frame.to_parquet(path, compression=packing))
    words = pa.DictionaryArray.from_arrays(np.arange(30, dtype=np.int32) % 3, ["a", "b", "c"])
    kept("words.parquet", lambda path: pq.write_table(pa.table({"id": names, "k": words, "v": cells[:, 0]}), path))
    obs = pd.DataFrame({"k": pd.Categorical(["a", "b", "a"] * 10)}, index=names)
    for kind, matrix in (("dense", cells), ("csr", sp.csr_matrix(cells)), ("csc", sp.csc_matrix(cells))):
        data = anndata.AnnData(matrix, obs=obs)
        kept(f"{kind}.h5ad", data.write_h5ad)
        kept(f"{kind}-packed.h5ad", lambda path, data=data: data.write_h5ad(path, compression="gzip"))
    kept("x.mtx", lambda path: scipy.io.mmwrite(path, sp.coo_array(cells)))
    kept("array.mtx", lambda path: scipy.io.mmwrite(path, cells))
    files["x.mtx.gz"] = gzip.compress(files["x.mtx"], mtime=0)
    return files


def changed(content: bytes, name: str, chance: random.Random, others: list[bytes]) -> bytes:
    """The same file with one to three changes; of a packed one as often of what is in it."""
    if name.endswith(".gz") and chance.random() < 0.7:
        return gzip.compress(_changed(gzip.decompress(content), chance, others), mtime=0)
    if name.endswith(".npz") and chance.random() < 0.7:
        return _member_changed(content, chance, others)
    return _changed(content, chance, others)


def _changed(content: bytes, chance: random.Random, others: list[bytes]) -> bytes:
    out = bytearray(content)
    for _ in range(chance.randint(1, 3)):
        if not out:
            break
        # Headers are where most promises are: they are as likely as all the rest.
        at = chance.randrange(min(len(out), 300)) if chance.random() < 0.5 else chance.randrange(len(out))
        to = min(len(out), at + chance.randint(1, 64))
        match chance.randrange(8):
            case 0:
                out[at] ^= 1 << chance.randrange(8)
            case 1:
                out[at] = chance.randrange(256)
            case 2:
                value = chance.choice(EXTREMES)
                out[at : at + len(value)] = value
            case 3:
                out[at:at] = chance.choice(WORDS)
            case 4:
                del out[at:to]
            case 5:
                out[at:at] = out[at:to] * chance.choice((1, 2, 100))
            case 6:
                other = chance.choice(others)
                begin = chance.randrange(len(other))
                out[at:to] = other[begin : begin + to - at]
            case _:
                del out[chance.randrange(len(out)) :]
    return bytes(out)


def _member_changed(content: bytes, chance: random.Random, others: list[bytes]) -> bytes:
    """An archive that is whole, with an array in it that is not."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        chosen = chance.choice(archive.namelist())
        for member in archive.namelist():
            found = archive.read(member)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                new.writestr(member, _changed(found, chance, others) if member == chosen else found)
    return out.getvalue()
