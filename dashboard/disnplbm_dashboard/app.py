"""The application: routes, errors, security."""

from __future__ import annotations

from apiflask import APIFlask

from disnplbm import __version__
from disnplbm_dashboard import web
from disnplbm_dashboard.api import datasets, heatmap, previews, results, runs, streams, system, workers
from disnplbm_dashboard.backend import NAME, Backend
from disnplbm_dashboard.bodies import JsonRequest
from disnplbm_dashboard.compression import compress
from disnplbm_dashboard.document import DESCRIPTION, complete_document
from disnplbm_dashboard.metrics import measure
from disnplbm_dashboard.problems import handle_problems
from disnplbm_dashboard.security import guard

DOCUMENT = "/api/v1/openapi.json"

_BLUEPRINTS = (system.bp, datasets.bp, previews.bp, runs.bp, results.bp, heatmap.bp, streams.bp, workers.bp, web.bp)


def create_app(backend: Backend) -> APIFlask:
    """An application on a backend."""
    app = APIFlask(
        __name__,
        title="disnplbm",
        version=__version__,
        spec_path=DOCUMENT,
        docs_path=None,
    )
    app.request_class = JsonRequest
    app.config.update(
        OPENAPI_VERSION="3.1.0",
        AUTO_404_RESPONSE=False,
        AUTO_VALIDATION_ERROR_RESPONSE=False,
        AUTO_OPERATION_ID=True,
        AUTO_SERVERS=False,
        DESCRIPTION=DESCRIPTION,
        JSON_SORT_KEYS=True,
    )
    app.extensions[NAME] = backend
    handle_problems(app)
    guard(app)
    compress(app)
    for blueprint in _BLUEPRINTS:
        app.register_blueprint(blueprint)
    app.spec_processor(complete_document)
    measure(app, backend)
    if backend.public is not None:
        app.wsgi_app = backend.public.around(app.wsgi_app)  # type: ignore[assignment,method-assign]
    return app
