"""The pages behind a reverse proxy as nginx is by default, in a real browser: one setting says where they are."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

from e2e.pages import READY, path_of
from integration.console import PATIENCE, command, quiet
from integration.serving import Server, served
from marks import long
from services.web_proxy import WebProxy, self_signed

pytestmark = pytest.mark.usefixtures("built_pages")

TABLE = "id,a,b,c,d\n" + "".join(f"r{i},{i % 2 * 5},{i % 2 * 5 + 1},{i % 3},{i % 3 + 1}\n" for i in range(30))


@contextmanager
def behind(folder: Path, proxy: WebProxy) -> Iterator[tuple[Server, str]]:
    """A server behind a proxy, and a token for it."""
    create = command("token", "create", "--name", "ada", "--scope", "run", "--folder", folder)
    token = subprocess.run(create, capture_output=True, text=True, check=True, env=quiet()).stdout.strip()
    with served(folder, settings={"DISNPLBM_PUBLIC_URL": proxy.url}) as server:
        proxy.target = server.port
        yield server, token


def stroll(browser: Browser, proxy: WebProxy, token: str, table: Path, prefix: str) -> None:
    """Sign in, submit a file, watch the run, and come back to it by its address."""
    context = browser.new_context(ignore_https_errors=True)
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE)
    messages: list[str] = []
    asked: list[str] = []
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{proxy.url}/runs/new")
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("File with a table").set_input_files(table)
    page.get_by_role("button", name="Upload and check").click()
    page.get_by_label("Iterations", exact=True).fill("5")
    page.get_by_role("button", name="Start the run").click()
    page.wait_for_selector(READY)
    address = path_of(page)
    assert address.startswith(f"{prefix}/runs/")
    with page.expect_download() as download:
        page.get_by_role("link", name="rows.csv", exact=True).click()
    assert Path(str(download.value.path())).read_text().startswith("id,")
    page.get_by_role("link", name="Runs", exact=True).click()
    expect(page.get_by_role("status").first).to_have_text("Live")
    page.get_by_role("link", name=table.name).click()
    assert path_of(page) == address
    page.reload()
    page.wait_for_selector(READY)
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Runs")
    assert path_of(page) == f"{prefix}/runs"
    cookie = next(each for each in context.cookies() if each["name"] == "disnplbm_session")
    assert (cookie["path"], cookie["secure"]) == (f"{prefix}/", proxy.url.startswith("https"))
    context.close()
    assert messages == []
    assert [url for url in asked if not url.startswith((f"{proxy.url}/", "data:", "blob:"))] == []


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    return path


@pytest.mark.parametrize(("prefix", "strips"), [("/blocks", True), long("/lab/blocks", False), long("", True)])
def test_pages_and_uploads_work_below_a_path(
    browser: Browser, tmp_path: Path, table: Path, prefix: str, strips: bool
) -> None:
    with WebProxy(prefix, strips=strips) as proxy, behind(tmp_path / "data", proxy) as (_, token):
        stroll(browser, proxy, token, table, prefix)


@pytest.mark.long
def test_pages_and_uploads_work_behind_tls(browser: Browser, tmp_path: Path, table: Path) -> None:
    certificate = self_signed(tmp_path)
    with WebProxy("/blocks", certificate=certificate) as proxy, behind(tmp_path / "data", proxy) as (_, token):
        stroll(browser, proxy, token, table, "/blocks")


@pytest.mark.long
def test_the_client_goes_through_the_proxy_too(tmp_path: Path, table: Path) -> None:
    with WebProxy("/blocks") as proxy, behind(tmp_path / "data", proxy) as (server, token):
        environment = {**quiet(), "DISNPLBM_TOKEN": token}

        def run(*words: Any) -> dict[str, Any]:
            asked = command(*words, "--server", proxy.url, "--json")
            done = subprocess.run(asked, capture_output=True, text=True, env=environment, timeout=PATIENCE)
            assert done.returncode == 0, done.stderr
            return dict(json.loads(done.stdout))

        made = run("submit", table, "--id-column", "id", "--iterations", 3)
        server.wait(made["run"], token=token)
        assert run("status", made["run"])["state"] == "SUCCEEDED"
        download = command("download", made["run"], "--output", tmp_path / "got", "--server", proxy.url)
        subprocess.run(download, check=True, env=environment, timeout=PATIENCE, capture_output=True)
        assert (tmp_path / "got" / "rows.csv").read_text().startswith("id,")


def test_without_a_token_such_a_server_does_not_start(tmp_path: Path) -> None:
    environment = {**os.environ, **quiet(), "DISNPLBM_PUBLIC_URL": "https://host.example/blocks"}
    refused = subprocess.run(
        command("serve", "--folder", tmp_path, "--port", 0), capture_output=True, text=True, env=environment
    )
    assert refused.returncode == 2
    assert "DISNPLBM_PUBLIC_URL opens this server to others" in refused.stderr
    assert refused.stderr.count("\n") == 1
