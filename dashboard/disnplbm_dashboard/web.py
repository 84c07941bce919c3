"""The pages: files that ``make pages`` builds from dashboard/web, and that every address of theirs shows."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from apiflask import APIBlueprint
from flask import Response, request
from werkzeug.exceptions import NotFound

from disnplbm_dashboard.problems import HttpProblem, answer

bp = APIBlueprint("web", __name__, enable_openapi=False)

#: Where the built pages are.
PAGES = Path(__file__).with_name("pages")

#: Names of assets change with what is in them.
_FOR_EVER = "public, max-age=31536000, immutable"

#: Copies of assets that `make pages` compresses, the shortest first: the encoding, and how the name ends.
PACKED = {"br": ".br", "gzip": ".gz"}

_UNBUILT = "The pages are not built: `make pages` builds them. The API is at /api/v1.\n"


def are_built() -> bool:
    """Whether there are pages: a checkout has none until they are built."""
    return (PAGES / "index.html").is_file()


@bp.get("/")
@bp.get("/runs", strict_slashes=False)
@bp.get("/runs/<path:_rest>")
@bp.get("/compare", strict_slashes=False)
@bp.get("/datasets", strict_slashes=False)
@bp.get("/system", strict_slashes=False)
def page(_rest: str = "") -> Response:
    """One page for all of them: it reads the address itself."""
    index = PAGES / "index.html"
    if not are_built():
        return Response(_UNBUILT, 503, content_type="text/plain; charset=utf-8")
    # Its own scripts and styles are below the path at which browsers find the server, and so is the API.
    html = index.read_text(encoding="utf-8").replace('"/assets/', f'"{request.script_root}/assets/')
    html = html.replace('data-base=""', f'data-base="{request.script_root}"')
    return _answer(html.encode(), index.name, "no-cache")


@bp.get("/assets/<name>")
def asset(name: str) -> Response:
    """A script, a style or a picture of theirs, compressed if the client takes that."""
    files = {file.name: file for file in (PAGES / "assets").glob("*")}
    if name not in files or files[name].suffix in PACKED.values():
        raise HttpProblem("not-found", "the pages have no file of that name: load the page anew")
    packed = next(
        (each for each, ending in PACKED.items() if request.accept_encodings[each] and f"{name}{ending}" in files), None
    )
    file = files[name] if packed is None else files[f"{name}{PACKED[packed]}"]
    return _answer(file.read_bytes(), name, _FOR_EVER, packed)


@bp.app_errorhandler(NotFound)
def nothing_there(_error: NotFound) -> Response:
    """For a person the page, which says so; for a program a problem."""
    people = request.accept_mimetypes.best_match(["application/problem+json", "text/html"]) == "text/html"
    if people and are_built() and not request.path.startswith(("/api/", "/assets/")):
        response = page()
        response.status_code = 404
        return response
    return answer("not-found", f"there is nothing at {request.path}: see the address; the API is at /api/v1")


def _answer(content: bytes, name: str, caching: str, packed: str | None = None) -> Response:
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    response = Response(content, content_type=kind, headers={"Cache-Control": caching})
    if packed is not None:
        response.content_encoding = packed
    response.vary.add("Accept-Encoding")
    response.add_etag()
    response.make_conditional(request)
    return response
