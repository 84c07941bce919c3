"""nginx before a server, with the lines that docs/proxy.md gives."""

from __future__ import annotations

import re
import socket
from pathlib import Path

from services.process import Server, find_program, free_port

#: Of the lines in docs/proxy.md that name the server.
_SERVER = "http://127.0.0.1:8000/"


class Nginx(Server):
    """Passes /blocks/ on to a port of 127.0.0.1."""

    name = "nginx"
    install = "make system, or on Debian: sudo apt-get install nginx"

    def __init__(self) -> None:
        super().__init__()
        self.port, self.target = free_port(), 0
        self.url = f"http://127.0.0.1:{self.port}/blocks"

    def prepare(self) -> None:
        documented = Path(__file__).parents[2].joinpath("docs", "proxy.md").read_text()
        of_http, of_server = re.findall(r"```nginx\n(.*?)```", documented, re.DOTALL)
        assert _SERVER in of_server
        places = "".join(
            f"{kind}_temp_path {self.folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        self.folder.joinpath("nginx.conf").write_text(
            f"daemon off;\nmaster_process off;\npid {self.folder}/pid;\nerror_log stderr;\nevents {{}}\n"
            f"http {{\naccess_log off;\n{places}{of_http}server {{\nlisten 127.0.0.1:{self.port};\n"
            f"{of_server.replace(_SERVER, f'http://127.0.0.1:{self.target}/')}}}\n}}\n"
        )

    def command(self) -> list[str]:
        program = find_program("nginx", [Path("/usr/sbin")], self.name, self.install)
        return [program, "-p", str(self.folder), "-c", "nginx.conf", "-e", "stderr"]

    def check(self) -> None:
        socket.create_connection(("127.0.0.1", self.port), 1).close()
