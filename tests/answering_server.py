"""A small chat server of this machine that looks at the pictures it is sent: real HTTP, real data URIs, scripted answers.

It stands for vLLM, llama.cpp and the like. What it does with a request is a function of picture and question, so that tests know
the right answer; hostile behavior is given as raw responses.
"""

import base64
import io
import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
from PIL import Image

COLORS = {"red": (200, 30, 30), "green": (30, 160, 30), "blue": (30, 30, 200), "yellow": (220, 210, 30)}


def color_of(picture):
    """The color name nearest to the mean of a picture."""
    mean = np.asarray(picture, float).reshape(-1, 3).mean(axis=0)
    return min(COLORS, key=lambda name: float(((mean - np.array(COLORS[name])) ** 2).sum()))


def write_colors(folder, each=6):
    """A folder with a subfolder of pictures for each color; no two are alike."""
    for number, (name, color) in enumerate(COLORS.items()):
        (folder / name).mkdir(parents=True)
        for i in range(each):
            pixels = np.full((24, 32, 3), color, np.uint8)
            pixels[0, : i + 1 + number] = 255
            Image.fromarray(pixels).save(folder / name / f"{i}.png")
    return folder


class AnsweringServer:
    """`answer(picture, question)` gives the text; `raw` responses (status, headers, body) are sent first, in turn."""

    def __init__(self, answer):
        self.answer, self.raw, self.seen = answer, [], []
        self.drip = 0.0
        self.at_once, self.most_at_once, self._lock = 0, 0, threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                with outer._lock:
                    outer.at_once += 1
                    outer.most_at_once = max(outer.most_at_once, outer.at_once)
                try:
                    self._reply(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                except (BrokenPipeError, ConnectionResetError):
                    pass
                finally:
                    with outer._lock:
                        outer.at_once -= 1

            def _reply(self, body):
                image, text = body["messages"][-1]["content"]
                kind, _, data = image["image_url"]["url"].partition(";base64,")
                picture = Image.open(io.BytesIO(base64.b64decode(data)))
                with outer._lock:
                    outer.seen.append((kind, picture.size, text["text"], dict(self.headers), body))
                    raw = outer.raw.pop(0) if outer.raw else None  # None: as usual
                if raw is None:
                    said = outer.answer(picture.convert("RGB"), text["text"])
                    choice = {"message": {"content": said}, "finish_reason": "stop"}
                    usage = {"prompt_tokens": 100, "completion_tokens": 3}
                    raw = (200, {}, json.dumps({"choices": [choice], "usage": usage}).encode())
                status, headers, content = raw
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                if outer.drip:
                    for byte in content:
                        self.wfile.write(bytes([byte]))
                        self.wfile.flush()
                        time.sleep(outer.drip)
                else:
                    self.wfile.write(content)

            def log_message(self, *asked):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.base = f"http://127.0.0.1:{self.server.server_port}/v1"

    @property
    def questions(self):
        return [text for _, _, text, _, _ in self.seen]


@contextmanager
def answering(answer):
    running = AnsweringServer(answer)
    threading.Thread(target=running.server.serve_forever, daemon=True).start()
    try:
        yield running
    finally:
        running.server.shutdown()
        running.server.server_close()
