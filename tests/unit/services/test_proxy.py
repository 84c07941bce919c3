"""The proxy of the fault tests, on real sockets."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator

import pytest

from services.proxy import Proxy


@pytest.fixture
def echo() -> Iterator[int]:
    """The port of a server that sends back what it gets, and then its end."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(connection: socket.socket) -> None:
        with connection:
            try:
                while data := connection.recv(65536):
                    connection.sendall(data)
            except ConnectionResetError:
                return

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    yield int(listener.getsockname()[1])
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()
    thread.join()


@pytest.fixture
def proxy(echo: int) -> Iterator[Proxy]:
    with Proxy(echo) as proxy:
        yield proxy


@pytest.fixture
def client(proxy: Proxy) -> Iterator[socket.socket]:
    with connect(proxy) as client:
        yield client


def connect(proxy: Proxy) -> socket.socket:
    return socket.create_connection(("127.0.0.1", proxy.port), timeout=30)


def answer(client: socket.socket, length: int) -> bytes:
    received = b""
    while len(received) < length:
        received += client.recv(65536)
    return received


def test_passes_bytes_and_the_end_of_each_direction(client: socket.socket) -> None:
    data = bytes(range(256)) * 4000
    sender = threading.Thread(target=lambda: (client.sendall(data), client.shutdown(socket.SHUT_WR)))
    sender.start()
    assert answer(client, len(data)) == data
    assert client.recv(1) == b""
    sender.join()


def test_drop_holds_bytes_back_and_pass_delivers_them(proxy: Proxy, client: socket.socket) -> None:
    client.sendall(b"before")
    assert answer(client, 6) == b"before"
    proxy.switch("drop")
    client.sendall(b"during")
    client.settimeout(0.3)
    with pytest.raises(TimeoutError):
        client.recv(1)
    client.settimeout(30)
    proxy.switch("pass")
    assert answer(client, 6) == b"during"


def test_a_connection_made_while_dropping_is_silent_and_then_works(proxy: Proxy) -> None:
    proxy.switch("drop")
    with connect(proxy) as client:
        client.sendall(b"hello")
        client.settimeout(0.3)
        with pytest.raises(TimeoutError):
            client.recv(1)
        client.settimeout(30)
        proxy.switch("pass")
        assert answer(client, 5) == b"hello"


def test_delay_counts_for_each_direction(proxy: Proxy, client: socket.socket) -> None:
    proxy.switch("delay", 0.2)
    start = time.monotonic()
    client.sendall(b"slow")
    assert answer(client, 4) == b"slow"
    assert time.monotonic() - start >= 0.4


def test_reset_ends_open_and_new_connections(proxy: Proxy, client: socket.socket) -> None:
    client.sendall(b"x")
    assert answer(client, 1) == b"x"
    proxy.switch("reset")
    with pytest.raises(ConnectionResetError):
        client.recv(1)
    with pytest.raises(ConnectionResetError), connect(proxy) as other:
        other.recv(1)
    proxy.switch("pass")
    with connect(proxy) as mended:
        mended.sendall(b"y")
        assert answer(mended, 1) == b"y"


def test_a_server_that_is_down_resets(echo: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = int(nobody.getsockname()[1])
    with Proxy(port) as proxy, pytest.raises(ConnectionResetError), connect(proxy) as client:
        client.recv(1)


def test_the_address_of_a_server_through_the_proxy(proxy: Proxy, echo: int) -> None:
    assert proxy.url(f"amqp://guest:guest@127.0.0.1:{echo}//") == f"amqp://guest:guest@127.0.0.1:{proxy.port}//"
