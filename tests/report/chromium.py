"""A headless Chromium, driven over its debugging pipe: what it asks of the network, what it logs, what it shows."""

import base64
import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any, Self

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)  # fmt: skip
BINARY = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)


KEYS = {
    "Enter": 13, "Tab": 9, "Escape": 27, "Space": 32, "End": 35, "Home": 36,
    "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
}  # fmt: skip


class Chromium:
    """One browser with one tab. Messages are JSON ended by a zero byte: commands into its descriptor 3, answers out of 4."""

    def __init__(self, profile: Path) -> None:
        assert BINARY is not None
        to_child, self._out = os.pipe()
        self._in, from_child = os.pipe()

        def place_pipes() -> None:
            # Moved up first: the numbers 3 and 4 may be those of the very pipes that are to be moved there.
            high = os.dup(to_child), os.dup(from_child)
            lifted = [os.dup2(fd, 200 + i) for i, fd in enumerate(high)]
            os.dup2(lifted[0], 3, inheritable=True)
            os.dup2(lifted[1], 4, inheritable=True)

        command = [BINARY, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        self._process = subprocess.Popen(
            command, preexec_fn=place_pipes, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )  # fmt: skip
        os.close(to_child)
        os.close(from_child)
        self._rest, self._count, self.events = b"", 0, []
        self._session: str | None = None
        pages = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"]
        self._session = self.call("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(timeout=20)
        os.close(self._out)
        os.close(self._in)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._count:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self.events.append(answer)

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            chunk = os.read(self._in, 1 << 20)
            assert chunk, "the browser has closed its pipe"
            self._rest += chunk
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)

    def look(
        self, *, width: int = 1200, height: int = 900, dark: bool = False, script: bool = True, media: str = "screen"
    ) -> None:
        """How the next page is seen."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", media=media, features=scheme)
        self.call("Emulation.setScriptExecutionDisabled", value=not script)

    def open(self, path: Path, anchor: str = "") -> None:
        self.events.clear()
        self.call("Page.navigate", url=path.resolve().as_uri() + anchor)
        self.wait("document.readyState === 'complete'")

    def run(self, expression: str) -> Any:
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, expression: str, seconds: float = 30) -> None:
        end = time.monotonic() + seconds
        while not self.run(f"Boolean({expression})"):
            assert time.monotonic() < end, f"waited {seconds} s in vain for {expression}"
            time.sleep(0.05)

    def press(self, key: str) -> None:
        text = {"Enter": "\r", "Space": " "}.get(key, key if len(key) == 1 else "")
        self.call(
            "Input.dispatchKeyEvent",
            type="keyDown",
            key=key,
            code=key,
            text=text,
            windowsVirtualKeyCode=KEYS.get(key, ord(key.upper()[0])),
        )
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key)

    def type(self, text: str) -> None:
        for letter in text:
            self.press(letter)

    def click(self, element: str) -> None:
        """Click on an element, given as an expression, where a mouse would: in its middle, after scrolling it into view."""
        x, y = self.run(
            f"(() => {{ const e = {element}; e.scrollIntoView({{block: 'center'}}); const b = e.getBoundingClientRect();"
            " return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def back(self) -> None:
        self.run("history.back()")

    def hover(self, x: float, y: float) -> None:
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def screenshot(self, path: Path, *, full: bool = True) -> None:
        picture = self.call(
            "Page.captureScreenshot", format="png", captureBeyondViewport=full, **({} if not full else self._whole())
        )
        path.write_bytes(base64.b64decode(picture["data"]))

    def _whole(self) -> dict[str, Any]:
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}}

    def complaints(self) -> list[str]:
        """Errors and warnings of the console, uncaught exceptions, breaches of the content policy."""
        self.run("0")
        found = []
        for event in self.events:
            method, about = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(str(about["exceptionDetails"]))
            elif method == "Runtime.consoleAPICalled" and about["type"] in {"error", "warning", "assert"}:
                found.append(str([a.get("value", a.get("description")) for a in about["args"]]))
            elif method == "Log.entryAdded" and about["entry"]["level"] in {"error", "warning"}:
                found.append(str(about["entry"]))
        return found

    def requests(self) -> list[str]:
        self.run("0")
        return [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
