"""The dashboard of a cluster, as a process of its own that others ask."""

from __future__ import annotations

import json
import secrets
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from disnplbm_dashboard.tokens import TokenStore
from services.cluster import Cluster, Member
from services.process import free_port


class Served(Member):
    """``disnplbm serve --cluster``.

    Parameters
    ----------
    cluster : Cluster
    guarded : bool
        Whether there is a token, of scope read; else it answers to everybody on this machine.
    """

    def __init__(self, cluster: Cluster, *, guarded: bool = True) -> None:
        super().__init__("serve", cluster.environment)
        self.port = free_port()
        self._headers: dict[str, str] = {}
        if guarded:
            token = secrets.token_hex(24)
            TokenStore(cluster.database).put("autoscaler", "read", token)
            self._headers["Authorization"] = f"Bearer {token}"

    def command(self) -> list[str]:
        return [*super().command(), "--cluster", "--port", str(self.port)]

    def check(self) -> None:
        urlopen(f"http://127.0.0.1:{self.port}/api/v1/health", timeout=10).close()

    def ask(self, path: str) -> dict[str, Any] | None:
        """What it answers to a path with its query, with the token if there is one; None while it cannot be reached."""
        url = f"http://127.0.0.1:{self.port}{path}"
        try:
            with urlopen(Request(url, headers=self._headers), timeout=30) as answer:
                found: dict[str, Any] = json.load(answer)
        except HTTPError:
            raise
        except URLError:
            return None
        return found
