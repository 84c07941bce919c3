"""Files that a client may ask for in part, or only if they changed (RFC 9110, sections 13 and 14)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from flask import Response, request
from werkzeug.http import parse_range_header

from disnplbm_dashboard.problems import HttpProblem

#: The bytes of a file from the first to before the last.
Reader = Callable[[int, int], Iterable[bytes]]


def file_response(read: Reader, size: int, etag: str, kind: str, headers: Mapping[str, str]) -> Response:
    """A file of known length, or the part of it that the current request asks for.

    Parameters
    ----------
    read : callable
        Gives the bytes from one to before another.
    size : int
        In bytes.
    etag : str
        Names what is in the file, without quotes.
    kind : str
        Its media type.
    headers : mapping of str to str
        What else to send.

    Raises
    ------
    Problem
        The part that was asked for lies beyond the file.
    """
    response = conditional((), etag, kind, {**headers, "Accept-Ranges": "bytes"})
    if response.status_code != 200:
        return response
    first, stop = 0, size
    # A part of another version would not fit to what the client has.
    if request.method == "GET" and request.headers.get("If-Range") in (None, response.headers["ETag"]):
        part = _requested_part(size)
        if part is not None:
            first, stop = part
            response.status_code = 206
            response.headers["Content-Range"] = f"bytes {first}-{stop - 1}/{size}"
    response.headers["Content-Length"] = str(stop - first)
    response.response = read(first, stop)
    return response


def conditional(body: Iterable[bytes], etag: str, kind: str, headers: Mapping[str, str]) -> Response:
    """A body of unknown length, unless the client has it already; iterated only if it is sent."""
    response = Response(body, 200, dict(headers), content_type=kind)
    response.automatically_set_content_length = False
    response.set_etag(etag)
    response.make_conditional(request)
    return response


def _requested_part(size: int) -> tuple[int, int] | None:
    """First byte and the one after the last that a request asks for.

    None is the whole file: without a Range header, and with one that names several parts or another unit.
    """
    wanted = parse_range_header(request.headers.get("Range"))
    if wanted is None or wanted.units != "bytes" or len(wanted.ranges) != 1:
        return None
    begin, end = wanted.ranges[0]
    first = begin if begin >= 0 else max(size + begin, 0)
    stop = size if end is None else min(end, size)
    if first >= stop:
        raise HttpProblem(
            "range", f"the file has {size} bytes: ask for a part of it", **{"Content-Range": f"bytes */{size}"}
        )
    return first, stop
