"""Addresses of servers, and tokens."""

from __future__ import annotations

import pytest

from disnplbm.client.address import Address
from disnplbm.errors import InputError


@pytest.mark.parametrize(
    "url",
    [
        "blocks.example:8000",
        "ftp://blocks.example",
        "http://",
        "http://blocks.example:0",
        "http://blocks.example:99999",
        "http://[broken",
        "http://a b",
        "http://a\nb.example/x y",
        "http://blocks.example/?a=b",
        "http://blocks.example/#a",
        "http://blocks.example/ü",
        "",
    ],
)
def test_what_is_no_address_is_one_line(url: str) -> None:
    with pytest.raises(InputError, match=r"^server") as caught:
        Address.of(url, None)
    assert "\n" not in str(caught.value)


def test_secrets_are_not_shown() -> None:
    for url in ("https://ada:hush@blocks.example", "ada:hush@blocks.example", "https:ada:hush@blocks.example"):
        with pytest.raises(InputError, match="DISNPLBM_TOKEN") as caught:
            Address.of(url, None)
        assert "hush" not in str(caught.value)
    # Nor what stands where an address should, or after one.
    for url in (
        *("hush", "dnp_hush", "https://blocks.example/?token=hush", "https://blocks.example/#hush"),
        *("https://blocks.example/dnp_hush", "https://dnp_hush.example", "hush://blocks.example", "https:///hush"),
        *("https://blocks.example:hush", "https://[hush", "https://blocks.example/a hush", "https://hush.example:0"),
    ):
        with pytest.raises(InputError, match=r"^server") as caught:
            Address.of(url, None)
        assert "hush" not in str(caught.value)
    for token in ("hu sh", "hu\nsh", "hüsh"):
        with pytest.raises(InputError, match="DISNPLBM_TOKEN is no token") as caught:
            Address.of("https://blocks.example", token)
        assert token not in str(caught.value)
    assert "hush" not in repr(Address.of("https://blocks.example", "hush"))


@pytest.mark.parametrize(
    ("url", "token", "in_the_open"),
    [
        ("http://blocks.example", "hush", True),
        ("http://blocks.example", None, False),
        ("https://blocks.example", "hush", False),
        ("http://127.0.0.1:8000", "hush", False),
        ("http://localhost", "hush", False),
        ("http://[::1]:8000", "hush", False),
        ("http://localhost.example", "hush", True),
    ],
)
def test_a_token_travels_in_the_open_over_plain_http_to_others(url: str, token: str | None, in_the_open: bool) -> None:
    assert Address.of(url, token).in_the_open == in_the_open


def test_a_server_may_live_below_a_path() -> None:
    assert Address.of(" https://blocks.example/lab/ ", " hush\n") == Address(
        "https://blocks.example/lab", "hush", loopback=False
    )
