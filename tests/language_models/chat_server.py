"""A chat server of this machine, for tests that ask a language model: it replies as it is told, over real HTTP."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Chat:
    """`reply` makes the answer of the last message; `seen` are (path, headers, body) of all requests."""

    def __init__(self, reply):
        self.reply, self.seen = reply, []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.seen.append((self.path, dict(self.headers), body))
                said = outer.reply(body["messages"][-1]["content"])
                content = json.dumps({"choices": [{"message": {"content": said}}]}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *asked):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self.server.server_port}/v1"


@contextmanager
def chatting(reply):
    running = Chat(reply)
    threading.Thread(target=running.server.serve_forever, daemon=True).start()
    try:
        yield running
    finally:
        running.server.shutdown()
        running.server.server_close()
