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
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except (OSError, OverflowError) as error:
        listener.close()
        reason = getattr(error, "strerror", None) or "ports go up to 65535"
        raise UsageError(f"port {port} cannot be used ({reason}); leave out --port, or give another") from error
    with listener:
        listener.listen(64)
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
