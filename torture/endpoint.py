"""A hostile server: the bytes that it answers are mutated, headers and all. The client must read them or refuse."""

import socket
import threading
from contextlib import suppress
from pathlib import Path

from eyechart.language_models.address import Address
from eyechart.language_models.chat_client import ChatClient
from torture.layouts import Target, dump

_BODY = dump(
    {
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "a cat"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 3},
    }
)
_PLAIN = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n" % len(_BODY)
_CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
_BUSY = b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"
_SECONDS = 1.0  # for one request


def endpoints() -> list[Target]:
    """Answers of chat servers. Each is sent as it is to every request."""
    chunks = b"%x\r\n%s\r\n0\r\n\r\n" % (len(_BODY), _BODY)
    answers = {"plain": _PLAIN + _BODY, "chunked": _CHUNKED + chunks, "busy": _BUSY, "body": _BODY}
    return [Target(f"chat server ({name})", {"answer.bin": content}, _ask, share=0.1) for name, content in answers.items()]


def _ask(folder: Path) -> None:
    """Ask a server on this machine that answers with the content of the file; without headers, it is the body of an answer."""
    path = folder / "answer.bin"
    content = path.read_bytes() if path.is_file() else b""
    if not content.startswith(b"HTTP"):
        content = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(content) + content
    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=_serve, args=(listening, content), daemon=True).start()
        address = Address(f"http://127.0.0.1:{listening.getsockname()[1]}/v1")
        client = ChatClient(
            address, seconds=_SECONDS, attempts=1, overload_attempts=1
        )  # a mutated Retry-After would be waited for
        client.complete({"model": "m", "messages": [{"role": "user", "content": "What is this?"}]})


def _serve(listening: socket.socket, content: bytes) -> None:
    with suppress(OSError):  # the client hangs up, or the server is closed
        while True:
            connection, _ = listening.accept()
            with connection:
                connection.settimeout(_SECONDS)
                connection.recv(65536)
                connection.sendall(content)
