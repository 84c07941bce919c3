"""Print what the Secret `disnplbm` of this overlay holds, with new passwords: `make k8s-secret`."""

from __future__ import annotations

import secrets
import sys

SERVERS = ("POSTGRES", "RABBITMQ", "REDIS", "S3")


def text() -> str:
    """One NAME=VALUE a line."""
    password = {name: secrets.token_hex(24) for name in SERVERS}
    values = {
        "DISNPLBM_BROKER_URL": f"amqp://disnplbm:{password['RABBITMQ']}@rabbitmq:5672//",
        "DISNPLBM_REDIS_URL": f"redis://:{password['REDIS']}@redis:6379/0",
        "DISNPLBM_DATABASE_URL": f"postgresql+psycopg://disnplbm:{password['POSTGRES']}@postgres/disnplbm",
        "DISNPLBM_MESSAGE_KEY": secrets.token_hex(32),
        "AWS_ACCESS_KEY_ID": "disnplbm",
        "AWS_SECRET_ACCESS_KEY": password["S3"],
        "ADMIN_TOKEN": secrets.token_urlsafe(32),
        "READ_TOKEN": secrets.token_urlsafe(32),
        "RABBITMQ_MANAGEMENT_URL": f"http://disnplbm:{password['RABBITMQ']}@rabbitmq.disnplbm.svc:15672/%2f",
        "RABBITMQ_PASSWORD": password["RABBITMQ"],
        "REDIS_PASSWORD": password["REDIS"],
        "POSTGRES_PASSWORD": password["POSTGRES"],
    }
    return "".join(f"{name}={value}\n" for name, value in values.items())


if __name__ == "__main__":
    sys.stdout.write(text())
