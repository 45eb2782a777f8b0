"""A headless Chromium over its DevTools protocol: one browser opens many pages in many sizes, light, dark and as on paper."""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import subprocess
import time
from pathlib import Path

from tornado.websocket import websocket_connect

BOXES = Path(__file__).with_name("boxes.js")


class Browser:
    """Raises FileNotFoundError if there is no chromium. `messages` are those of the console since the page was opened."""

    def __init__(self, directory: Path):
        program = shutil.which("chromium")
        if not program:
            raise FileNotFoundError("chromium")
        self._loop = asyncio.new_event_loop()
        self._process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-port=0",
             "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={directory}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.messages: list[str] = []
        self._events: list[dict] = []
        self._number = 0
        try:
            self._loop.run_until_complete(self._connect(directory / "DevToolsActivePort"))
        except BaseException:
            self.close()
            raise

    async def _connect(self, port_file: Path) -> None:
        import urllib.request

        until = time.monotonic() + 60
        while not port_file.exists() or len(port_file.read_text().splitlines()) < 2:
            if time.monotonic() > until:
                raise TimeoutError("chromium does not answer")
            await asyncio.sleep(0.05)
        port = port_file.read_text().splitlines()[0]
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=30) as answer:
            page = next(one for one in json.load(answer) if one["type"] == "page")
        self._socket = await websocket_connect(page["webSocketDebuggerUrl"], max_message_size=1 << 28)
        for domain in ("Page", "Runtime", "Log"):
            await self._ask(f"{domain}.enable")

    async def _ask(self, method: str, **parameters) -> dict:
        self._number += 1
        mine = self._number
        await self._socket.write_message(json.dumps({"id": mine, "method": method, "params": parameters}))
        while True:
            told = json.loads(await asyncio.wait_for(self._socket.read_message(), 120))
            if told.get("id") == mine:
                if "error" in told:
                    raise RuntimeError(f"{method}: {told['error']}")
                return told["result"]
            self._note(told)

    def _note(self, event: dict) -> None:
        method, more = event.get("method"), event.get("params", {})
        self._events.append(event)
        if method == "Runtime.exceptionThrown":
            self.messages.append(json.dumps(more["exceptionDetails"])[:500])
        elif method == "Runtime.consoleAPICalled":
            self.messages.append(json.dumps(more["args"])[:500])
        elif method == "Log.entryAdded":
            self.messages.append(more["entry"]["text"])

    def ask(self, method: str, **parameters) -> dict:
        return self._loop.run_until_complete(self._ask(method, **parameters))

    def look(self, width: int = 1280, dark: bool = False, paper: bool = False) -> None:
        """The window's width in pixels, what the reader prefers, and whether it is printed."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", media="print" if paper else "",
                 features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.settle()

    def open(self, page: Path) -> None:
        self.messages.clear()
        self._events.clear()
        self.ask("Page.navigate", url=f"file://{page.resolve()}")
        until = time.monotonic() + 60
        while not any(event.get("method") == "Page.loadEventFired" for event in self._events):
            self.evaluate("1")
            if time.monotonic() > until:
                raise TimeoutError(f"{page} does not load")
        self.settle()

    def settle(self) -> None:
        """Waits until pictures have drawn themselves at their new size."""
        self.evaluate("new Promise(done => setTimeout(() => requestAnimationFrame(() => setTimeout(done, 150)), 250))")

    def evaluate(self, script: str):
        told = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in told:
            raise RuntimeError(json.dumps(told["exceptionDetails"])[:2000])
        return told["result"].get("value")

    def faults(self) -> list[str]:
        """What boxes.js finds wrong: texts that overlap, that are cut off or hardly seen, a page wider than the window."""
        return self.evaluate(BOXES.read_text())

    def picture(self, file: Path, clip: dict | None = None) -> None:
        """Of the page, or of a part of it: x, y, width, height in pixels, scale."""
        part = {"clip": clip} if clip else {}
        told = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True, **part)
        file.write_bytes(base64.b64decode(told["data"]))

    def pdf(self) -> bytes:
        return base64.b64decode(self.ask("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])

    def close(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._loop.close()
