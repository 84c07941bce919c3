"""A reverse proxy on 127.0.0.1, as nginx is by default: it puts its own Host, and may add a path and TLS."""

from __future__ import annotations

import http.client
import shutil
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Self

from integration.console import PATIENCE

_HOP_BY_HOP = ("connection", "content-length", "host", "keep-alive", "transfer-encoding")


class WebProxy:
    """Passes requests below a path on to one port of 127.0.0.1.

    Parameters
    ----------
    prefix : str
        The path, such as "/blocks"; "" for all.
    strips : bool
        Whether it takes the path off, as nginx does where its ``proxy_pass`` ends in a slash.
    certificate : Path, optional
        Key and certificate in one file: it speaks TLS.
    """

    def __init__(self, prefix: str = "", *, strips: bool = True, certificate: Path | None = None) -> None:
        self.target = 0
        """The server's port; to be set once it is known."""
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self) -> None:
                proxy._pass_on(self)

            do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = handle_any

            def log_message(self, *_: object) -> None:
                """Nothing is logged."""

        self._prefix, self._strips = prefix, strips
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._scheme = "http"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
            self._scheme = "https"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """Where browsers connect to."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """The address that browsers use."""
        return f"{self._scheme}://127.0.0.1:{self.port}{self._prefix}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _pass_on(self, asked: BaseHTTPRequestHandler) -> None:
        path = asked.path
        if not path.startswith(f"{self._prefix}/"):
            asked.send_error(404)
            return
        if self._strips:
            path = path[len(self._prefix) :]
        headers = {name: value for name, value in asked.headers.items() if name.lower() not in _HOP_BY_HOP}
        headers |= {"X-Forwarded-For": asked.client_address[0], "X-Forwarded-Proto": self._scheme}
        body = asked.rfile.read(int(asked.headers.get("Content-Length", 0))) or None
        server = http.client.HTTPConnection("127.0.0.1", self.target, timeout=PATIENCE)
        try:
            server.request(asked.command, path, body, headers)
            self._answer(asked, server.getresponse())
        except (ConnectionError, TimeoutError):
            # One of the two has left.
            asked.close_connection = True
        finally:
            server.close()

    def _answer(self, asked: BaseHTTPRequestHandler, answer: http.client.HTTPResponse) -> None:
        asked.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in _HOP_BY_HOP:
                asked.send_header(name, value)
        if answer.headers.get("Content-Type", "").startswith("text/event-stream"):
            asked.send_header("Connection", "close")
            asked.end_headers()
            while piece := answer.read1(65536):
                asked.wfile.write(piece)
                asked.wfile.flush()
            asked.close_connection = True
            return
        content = answer.read()
        length = answer.headers.get("Content-Length", "0") if asked.command == "HEAD" else str(len(content))
        if answer.status not in (204, 304):
            asked.send_header("Content-Length", length)
        asked.end_headers()
        asked.wfile.write(content)


def self_signed(folder: Path) -> Path:
    """A key and a certificate for 127.0.0.1 in one file."""
    openssl = shutil.which("openssl")
    assert openssl is not None, "openssl is missing: apt-get install openssl"
    made = folder / "proxy.pem"
    subprocess.run(
        [
            *(openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
            *("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"),
            *("-keyout", made, "-out", folder / "certificate.pem"),
        ],
        check=True,
        capture_output=True,
    )
    with made.open("a") as file:
        file.write((folder / "certificate.pem").read_text())
    return made
