"""Headless Chromium, driven through its pipe."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    """A page of Chromium. `events` holds what the browser reported so far."""

    def __init__(self, to_browser: IO[bytes], from_browser: IO[bytes]) -> None:
        self._write, self._read = to_browser, from_browser
        self._number = 0
        self._unread = b""
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the DevTools protocol, and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        self._write.write(json.dumps(message).encode() + b"\0")
        self._write.flush()
        while (answer := self._next()).get("id") != self._number:
            self.events.append(answer)
        assert "error" not in answer, answer["error"]
        result: dict[str, Any] = answer["result"]
        return result

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._unread:
            read = os.read(self._read.fileno(), 1 << 16)
            assert read, "Chromium has ended"
            self._unread += read
        text, _, self._unread = self._unread.partition(b"\0")
        message: dict[str, Any] = json.loads(text)
        return message

    def evaluate(self, script: str) -> Any:
        """Return the value of an expression of JavaScript, or of its promise."""
        found = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def resize(self, width: int, height: int) -> None:
        """Set the size of the page."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def open(self, path: Path) -> None:
        """Open a report, and wait until it is drawn."""
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri())
        self.evaluate(
            """new Promise((found, failed) => {
                const end = performance.now() + 20000;
                const look = () => {
                    const drawn = document.documentElement?.dataset.drawn;
                    if (drawn) found(true);
                    else if (performance.now() > end) failed(new Error("not drawn"));
                    else setTimeout(look, 5);
                };
                look();
            })"""
        )

    def press(self, key: str) -> None:
        """Press a key."""
        code = {"Tab": 9, "Enter": 13, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40, "/": 191}[key]
        text = {"text": {"Enter": "\r"}.get(key, key)} if key in ("Enter", "/") else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **text)


def axe_source(folder: Path) -> str:
    """Install axe-core from npm into a folder, and return its source."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    install = [npm, "install", "--no-audit", "--no-fund", "--silent", "--prefix", str(folder), "axe-core@4"]
    subprocess.run(install, check=True, capture_output=True)
    return (folder / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


@contextmanager
def browser(profile: Path, reached: str = "") -> Iterator[Browser]:
    """Start Chromium without a network, except for one address, and end it afterwards."""
    assert CHROMIUM is not None
    their_in, to_browser = os.pipe()
    from_browser, their_out = os.pipe()
    options = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        f"--host-resolver-rules=MAP * ~NOTFOUND{f', EXCLUDE {reached}' if reached else ''}",
        f"--user-data-dir={profile}",
        "--remote-debugging-pipe",
    ]
    # Chromium reads from file descriptor 3 and writes to 4.
    script = f'exec "$@" 3<&{their_in} 4>&{their_out}'
    process = subprocess.Popen(
        ["bash", "-c", script, "bash", CHROMIUM, *options],
        pass_fds=(their_in, their_out),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(their_in)
    os.close(their_out)
    try:
        with os.fdopen(to_browser, "wb") as to_it, os.fdopen(from_browser, "rb") as from_it:
            yield Browser(to_it, from_it)
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(timeout=10)
        process.kill()
