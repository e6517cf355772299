"""The socket of the workbench."""

import asyncio
import socket

import pytest
from tests.workbench.browser import run_apart

from eyechart.errors import UsageError
from eyechart.workbench.serving import HOST, listening_socket


class Accepted(asyncio.Protocol):
    """Notes whether what is written to an accepted connection is sent at once."""

    def __init__(self, found):
        self.found = found

    def connection_made(self, transport):
        connection = transport.get_extra_info("socket")
        self.found.set_result(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        transport.close()


def test_the_body_of_an_answer_does_not_wait_for_its_headers_to_be_acknowledged():
    async def connected():
        loop = asyncio.get_running_loop()
        found = loop.create_future()
        with listening_socket(0) as listener:
            server = await loop.create_server(lambda: Accepted(found), sock=listener)
            _, writer = await asyncio.open_connection(HOST, listener.getsockname()[1])
            no_delay = await asyncio.wait_for(found, 30)
            writer.close()
            server.close()
        return no_delay

    assert run_apart(connected()) != 0


def test_a_port_that_is_taken_or_does_not_exist_is_named():
    with listening_socket(0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {port} cannot be used"):
            listening_socket(port)
    with pytest.raises(UsageError, match="port 70000 cannot be used"):
        listening_socket(70_000)
