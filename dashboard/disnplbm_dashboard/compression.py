"""Answers that are text go out as gzip to clients that take it. `make pages` compresses the files of the pages."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from flask import Flask, Response, request

#: Shorter answers gain nothing.
LEAST = 1024

#: What becomes shorter. Archives and arrays are compressed as they are, and a stream of events must not wait.
TYPES = ("text/html", "text/css", "text/csv", "text/javascript", "application/javascript", "application/json",
         "application/problem+json", "image/svg+xml")  # fmt: skip

_LEVEL = 6

#: Says to zlib that gzip's header stands before the data.
_GZIP = 31


def compress(app: Flask) -> None:
    """Have the answers of an application compressed."""
    app.after_request(_compress)


def _compress(response: Response) -> Response:
    if response.mimetype not in TYPES or "Content-Encoding" in response.headers:
        return response
    response.vary.add("Accept-Encoding")
    length = response.content_length
    whole = response.status_code not in (204, 206, 304) and request.method != "HEAD"
    if not whole or (length is not None and length < LEAST) or not request.accept_encodings["gzip"]:
        return response
    if response.is_sequence:
        response.set_data(b"".join(_packed([response.get_data()])))
    else:
        response.response = _packed(response.iter_encoded())
        response.headers.pop("Content-Length", None)
        response.automatically_set_content_length = False
    response.content_encoding = "gzip"
    etag, _ = response.get_etag()
    if etag is not None:
        # The bytes are others, and say the same.
        response.set_etag(etag, weak=True)
    return response


def _packed(parts: Iterable[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    for part in parts:
        if piece := packer.compress(part):
            yield piece
    yield packer.flush()
