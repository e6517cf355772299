"""Start the web app on the loopback interface."""

import secrets
import socket
import webbrowser
from collections.abc import Callable

import uvicorn

from eyechart.errors import UsageError
from eyechart.workbench.server import workbench_app
from eyechart.workbench.state import WorkbenchState

HOST = "127.0.0.1"  # never another one: whoever reaches the port can try tokens


def serve(state: WorkbenchState, *, port: int = 0, browser: bool = True, ready: Callable[[str], None] = print) -> None:
    """Serve until Ctrl-C.

    Args:
        state: What is open.
        port: The port; 0 for any that is free.
        browser: Whether to open a browser.
        ready: Called with the address, which contains the token.
    """
    with listening_socket(port) as listener:
        port = listener.getsockname()[1]
        token = secrets.token_urlsafe(24)
        app = workbench_app(state, port=port, token=token)
        # No access log: it would print the token.
        config = uvicorn.Config(
            app, log_level="warning", access_log=False, server_header=False, ws="none", timeout_graceful_shutdown=2
        )
        address = f"http://{HOST}:{port}/?token={token}"
        ready(address)
        if browser:
            webbrowser.open(address)
        uvicorn.Server(config).run(sockets=[listener])


def listening_socket(port: int) -> socket.socket:
    """A socket of the loopback interface that listens on a port; 0 for any that is free.

    The protocol is named because asyncio turns Nagle's algorithm off (TCP_NODELAY) for sockets of a named protocol alone. With
    it, the body of an answer waits for the browser to acknowledge the headers, which takes 40 ms.

    Raises:
        UsageError: If the port cannot be used.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(64)
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or "ports go up to 65535"
        raise UsageError(f"port {port} cannot be used ({reason}); leave out --port, or give another") from error
    return listener
