"""What joins the prepared parts of a table: their manifests, and where their columns stand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from disnplbm.data.prepared import OfParts
from disnplbm.data.shards import Manifest, load_manifest
from disnplbm.errors import RunError
from disnplbm.notes import Note, from_plain, to_plain
from disnplbm.objects.seals import get_checked, seal_of
from disnplbm.objects.store import ObjectStore


@dataclass(frozen=True, kw_only=True)
class ManifestOfParts(OfParts):
    """The prepared parts of a table of several parts; each has all rows, and lies in shards of rows.

    Attributes
    ----------
    parts : tuple of Manifest
        With their own names of columns, types of cells and transforms.
    names : tuple of str
        Of the parts.
    columns : tuple of tuple of int
        For each part, which columns of the user's table its columns are.
    own_warnings : tuple of str
        What is odd about the table as a whole.
    prefix : str
    seal : str
        Of ``{prefix}/manifest.json``.
    """

    parts: tuple[Manifest, ...]
    names: tuple[str, ...]
    columns: tuple[tuple[int, ...], ...]
    own_warnings: tuple[str, ...]
    prefix: str
    seal: str = field(default="", compare=False)

    @property
    def n_shards(self) -> int:
        """Number of shards, E: the same for each part."""
        return self.parts[0].n_shards

    @property
    def dataset_sha256(self) -> str:
        """Digest of the cells of all parts, and of the types that they have."""
        return sha256(json.dumps([[part.cells, part.dataset_sha256] for part in self.parts]).encode()).hexdigest()

    @property
    def warnings(self) -> tuple[str, ...]:
        """Of the table, then of its parts, whose names they begin with; each once."""
        of_parts = zip(self.names, self.parts, strict=True)
        said = (Note(f"{name}: ", warning) for name, part in of_parts for warning in part.warnings)
        return tuple(dict.fromkeys((*self.own_warnings, *said)))

    def to_json(self) -> str:
        """What ``{prefix}/manifest.json`` holds."""
        parts = [
            {"name": name, "columns": columns, "prefix": part.prefix, "seal": part.seal}
            for name, columns, part in zip(self.names, self.columns, self.parts, strict=True)
        ]
        return json.dumps({"parts": parts, "warnings": [to_plain(said) for said in self.own_warnings]}, indent=1)


#: What says where the shards of a table are: both have ``parts``.
AnyManifest = Manifest | ManifestOfParts


def put_manifest(
    store: ObjectStore,
    prefix: str,
    parts: Sequence[Manifest],
    names: Sequence[str],
    columns: Sequence[Sequence[int]],
    warnings: Sequence[str] = (),
) -> ManifestOfParts:
    """Write what joins prepared parts; see :class:`ManifestOfParts`.

    Raises
    ------
    RunError
        The store is full or cannot be written.
    """
    found = ManifestOfParts(
        parts=tuple(parts),
        names=tuple(names),
        columns=tuple(map(tuple, columns)),
        own_warnings=tuple(warnings),
        prefix=prefix,
    )
    body = found.to_json().encode()
    store.put(f"{prefix}/manifest.json", body)
    return replace(found, seal=seal_of(body))


def load_any_manifest(store: ObjectStore, prefix: str, seal: str | None = None) -> AnyManifest:
    """Find the prepared shards of a table again, whatever its number of parts.

    Raises
    ------
    RunError
        There are none under this prefix, or the seal of a manifest is another.
    """
    key = f"{prefix}/manifest.json"
    body = bytes(get_checked(store, key, seal))
    try:
        record: dict[str, Any] = json.loads(body)
        if "parts" not in record:
            return replace(Manifest.from_json(body.decode()), seal=seal_of(body))
        parts, warnings = record["parts"], tuple(map(from_plain, record["warnings"]))
        where = [(str(part["prefix"]), str(part["seal"])) for part in parts]
        names, columns = (tuple(part[name] for part in parts) for name in ("name", "columns"))
    except (ValueError, KeyError, TypeError) as error:
        raise RunError(f"object {key} in {store.url} is damaged: delete the run's data and run again") from error
    return ManifestOfParts(
        parts=tuple(load_manifest(store, *each) for each in where),
        names=names,
        columns=tuple(map(tuple, columns)),
        own_warnings=warnings,
        prefix=prefix,
        seal=seal_of(body),
    )
