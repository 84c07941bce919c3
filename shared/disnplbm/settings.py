"""Settings of the services and of what talks to them, from environment variables that begin with ``DISNPLBM_``."""

from __future__ import annotations

import re
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from disnplbm.bounds import READ_MEMORY_BYTES
from disnplbm.errors import InputError
from disnplbm.paths import at_home
from disnplbm.variables import PREFIX, refuse_unknown

_PUBLIC = re.compile(
    r"https?://([A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\])(:[1-9][0-9]{0,4})?(/(?!\.\.?(/|$))[A-Za-z0-9._~-]+)*/?"
)


def _place(path: Path) -> Path:
    """A path that names something; ``~`` is the user's home."""
    if not str(path).strip() or path.name in ("", ".."):
        raise ValueError("names no file or folder")
    return at_home(path)


_Place = Annotated[Path, AfterValidator(_place)]


#: Fewest characters of a key that signs messages.
_KEY_CHARACTERS = 32


class Settings(BaseSettings):
    """What can be set from outside; docs/settings.md is written from the descriptions here."""

    model_config = SettingsConfigDict(
        # A blank variable is one that is not set, as where a compose file passes on what may be missing.
        env_prefix=PREFIX,
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
    )

    database_url: str = Field(
        "sqlite:///disnplbm.sqlite3",
        description="Where runs and datasets are recorded: postgresql+psycopg://user:password@host/name, or sqlite:///FILE"
        " for one machine.",
        repr=False,
    )
    store_url: str = Field(
        "disnplbm-store",
        description="Object storage: a folder, or s3://bucket/prefix with the usual AWS_ACCESS_KEY_ID,"
        " AWS_SECRET_ACCESS_KEY, AWS_ENDPOINT_URL (and AWS_ALLOW_HTTP=true for http).",
    )
    broker_url: str = Field(
        "amqp://guest:guest@127.0.0.1:5672//",
        description="RabbitMQ, which carries work and statistics.",
        repr=False,
    )
    message_key: str = Field(
        "",
        description="A secret of all masters and workers, 32 characters or more, which signs what they send each other:"
        " the broker's password alone then changes no run. Several, joined by commas: the first one signs, all are"
        " taken (docs/upgrading.md says how to change it).",
        repr=False,
    )
    redis_url: str = Field(
        "redis://127.0.0.1:6379/0",
        description="Redis, which counts the finished shards of an iteration and mirrors what is stale.",
        repr=False,
    )
    task_seconds: int = Field(
        1500,
        ge=1,
        description="Longest time that one shard of one iteration may take, in seconds. Must lie below the broker's"
        " consumer timeout, which is 1,800 by default.",
    )
    consumer_timeout: int = Field(
        1800, ge=2, description="The broker's consumer_timeout, in seconds, if it was changed there."
    )
    grace_seconds: float = Field(
        30.0, ge=0, description="How long beyond that limit the master waits before it asks for a shard again."
    )
    reconcile_seconds: float = Field(
        2.0, gt=0, description="How often the master looks for runs to start and for iterations that stand still."
    )
    attempts: int = Field(
        3, ge=1, description="Starts of a shard, or of a process at one place of a run, that may fail before it does."
    )
    inline_bytes: int = Field(
        256 * 2**10,
        ge=0,
        description="Larger statistics, broadcasts and states travel by object key. The same for all masters and"
        " workers.",
    )
    cache_memory_bytes: int = Field(
        2**30, ge=0, description="Shards that a worker keeps in memory, in bytes of their cells."
    )
    cache_folder: _Place = Field(
        Path(tempfile.gettempdir()) / "disnplbm-cache", description="Where a worker keeps copies of shards on disk."
    )
    cache_disk_bytes: int = Field(
        10 * 2**30, ge=0, description="Most bytes of these copies; 0 is none: every miss is read from the store."
    )
    heartbeat_file: _Place | None = Field(
        None, description="A file that a master or worker touches every five seconds while it lives."
    )
    ready_file: _Place | None = Field(
        None, description="A file that is there while a worker takes tasks from the broker."
    )
    metrics_host: str = Field("127.0.0.1", description="Address that metrics are served on.")
    metrics_port: int = Field(0, ge=0, le=65535, description="Port that metrics are served on; 0 serves none.")
    upload_limit_bytes: int = Field(
        100 * 2**30,
        ge=1,
        description="Most bytes of one file that the dashboard's API takes, and of the cells that it unpacks to.",
    )
    upload_total_bytes: int = Field(
        2**40, ge=1, description="Most bytes of all uploaded files together, beyond which the API takes no more."
    )
    read_memory_bytes: int = Field(
        READ_MEMORY_BYTES,
        ge=2**20,
        description="Most bytes of memory that reading one uploaded file, or cutting it into shards, may take. Each is"
        " done in a process of its own, which never gets more than half of what is free.",
    )
    read_seconds: float | None = Field(
        None,
        gt=0,
        description="Longest time that this may take, in seconds; by default four fifths of DISNPLBM_TASK_SECONDS. Of a"
        " worker it must lie below DISNPLBM_TASK_SECONDS.",
    )
    unpack_ratio: int = Field(
        500,
        ge=1,
        description="Most bytes that a file may unpack to for each byte of it, from 256 MiB on. It holds for files that"
        " commands read, too.",
    )
    public_url: str | None = Field(
        None,
        description="Address at which browsers find the dashboard if a proxy stands before it, such as"
        " https://host/blocks. Prefix, origin check, secure cookies and links follow from it; a token is needed then.",
    )
    live_runs: int = Field(
        100, ge=1, description="Most runs of one token of the API that are pending, running or paused at a time."
    )
    log_format: Literal["console", "json"] = Field("console", description="How log lines look.")
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="The least that is logged.")
    failpoint: str = Field("", description="For tests: a step of the master and what happens there, STEP:ACTION.")

    @property
    def reading_seconds(self) -> float:
        """The longest time that reading one uploaded file may take."""
        return 0.8 * self.task_seconds if self.read_seconds is None else self.read_seconds

    @property
    def message_keys(self) -> list[str]:
        """The keys that messages are signed with: the first one for what is sent, all of them for what is taken."""
        return [key.strip() for key in self.message_key.split(",")] if self.message_key else []

    @field_validator("message_key")
    @classmethod
    def _long_enough(cls, value: str) -> str:
        if value and any(len(key.strip()) < _KEY_CHARACTERS for key in value.split(",")):
            raise ValueError(f"must have {_KEY_CHARACTERS} characters or more a key, as `openssl rand -hex 32` gives")
        return value

    @field_validator("public_url")
    @classmethod
    def _public(cls, value: str | None) -> str | None:
        if value is not None and not _PUBLIC.fullmatch(value):
            raise ValueError("must be an address like https://host or https://host:port/path, without a query")
        return value

    @field_validator("broker_url")
    @classmethod
    def _amqp(cls, value: str) -> str:
        if not value.startswith(("amqp://", "amqps://", "pyamqp://")):
            raise ValueError("must begin with amqp:// or amqps://")
        return _readable(value)

    @field_validator("redis_url")
    @classmethod
    def _redis(cls, value: str) -> str:
        if not value.startswith(("redis://", "rediss://")):
            raise ValueError("must begin with redis:// or rediss://")
        return _readable(value)

    @model_validator(mode="after")
    def _agree(self) -> Settings:
        if self.task_seconds >= self.consumer_timeout:
            raise ValueError(
                f"{PREFIX}TASK_SECONDS = {self.task_seconds} must lie below {PREFIX}CONSUMER_TIMEOUT ="
                f" {self.consumer_timeout}: the broker would take a task away while it runs"
            )
        if self.ready_file is not None and self.ready_file == self.heartbeat_file:
            raise ValueError(
                f"{PREFIX}READY_FILE and {PREFIX}HEARTBEAT_FILE are the same file {self.ready_file}: give each its own,"
                " or a worker without a broker looks ready"
            )
        both = {"upload_limit_bytes", "upload_total_bytes"} <= self.model_fields_set
        if both and self.upload_limit_bytes > self.upload_total_bytes:
            raise ValueError(
                f"{PREFIX}UPLOAD_LIMIT_BYTES = {self.upload_limit_bytes} must not exceed {PREFIX}UPLOAD_TOTAL_BYTES ="
                f" {self.upload_total_bytes}: no file of that size would be taken"
            )
        return self

    def check_worker(self) -> None:
        """Refuse what holds for a worker only; `disnplbm serve` has no time limit of tasks.

        Raises
        ------
        InputError
            A file may be read for longer than the task that reads it may take.
        """
        if self.reading_seconds >= self.task_seconds:
            raise InputError(
                f"{PREFIX}READ_SECONDS = {self.reading_seconds:g} must lie below {PREFIX}TASK_SECONDS ="
                f" {self.task_seconds}: a worker would give up a file that it may still read"
            )


def _readable(address: str) -> str:
    """An address of which host and port can be told from the password, which stays out of what is said else."""
    try:
        parts = urlsplit(address)
        clear = "@" not in parts.path + parts.query + parts.fragment and parts.port != 0
    except ValueError:
        clear = False
    if not clear:
        raise ValueError(
            "cannot be read: write / : @ # ? % [ ] of a password as %2F %3A %40 %23 %3F %25 %5B %5D, and a port as a"
            " number"
        )
    return address


@lru_cache(maxsize=1)
def settings() -> Settings:
    """The settings of this process, read once.

    Raises
    ------
    InputError
        One is not what it must be; its value, which may be a secret, is not in the message.
    """
    return read_settings()


def read_settings() -> Settings:
    """The settings as the environment has them now; InputError if one is not what it must be."""
    refuse_unknown(PREFIX + name.upper() for name in Settings.model_fields)
    try:
        return Settings()
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = PREFIX + "_".join(map(str, first["loc"])).upper() + ": " if first["loc"] else ""
        raise InputError(f"{name}{first['msg'].removeprefix('Value error, ')}") from None
