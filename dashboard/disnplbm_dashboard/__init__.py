"""The dashboard: REST API, pages, and the embedded server."""
