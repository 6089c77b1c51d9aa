# SPDX-License-Identifier: GPL-3.0-or-later
"""A headless Chromium that a test opens pages in, by the DevTools protocol over a pipe
(https://chromedevtools.github.io/devtools-protocol): no port, no driver, no other package."""

import base64
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

NAMES = ("chromium", "chromium-browser", "google-chrome")
SECONDS = 60  # for one answer


def find():
    return next(filter(None, map(shutil.which, NAMES)), None)


def needed(test):
    """Decorates a test or a class of tests that opens pages."""
    return unittest.skipUnless(find(), "no chromium is installed")(test)


class Browser:
    """One window. `problems` are the errors and warnings of its console, and requests that it made of
    anything but the page's file."""

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="netsim-browser-")
        to_browser, self.ours_out = os.pipe()
        self.ours_in, from_browser = os.pipe()
        self.ours_out, self.ours_in = os.fdopen(self.ours_out, "wb"), os.fdopen(self.ours_in, "rb")

        # The browser reads 3 and writes 4.
        ends = f"exec 3<&{to_browser} 4>&{from_browser}; exec \"$@\""
        self.process = subprocess.Popen(
            ["bash", "-c", ends, "bash", find(), "--headless=new", "--remote-debugging-pipe", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions", "--no-first-run",
             "--disable-background-networking", "--disable-sync", "--hide-scrollbars",
             f"--user-data-dir={self.directory}", "about:blank"],
            pass_fds=(to_browser, from_browser), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True)
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.session, self.problems, self.events = 0, None, [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.ours_in.close()
        self.ours_out.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    # ---- The protocol ----

    def messages(self):
        """The messages as they come, which end with a null byte; a read may bring several."""
        text = bytearray()
        while not text.endswith(b"\0"):
            piece = self.ours_in.read1(1 << 16)
            if not piece:
                raise EOFError("the browser has ended")
            text += piece
        yield from (json.loads(one) for one in bytes(text).split(b"\0") if one)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        self.ours_out.write(json.dumps(message).encode() + b"\0")
        self.ours_out.flush()
        answer = None
        signal.alarm(SECONDS)
        while answer is None:
            for one in self.messages():
                if one.get("id") == self.number:
                    answer = one
                else:
                    self.note(one)
        signal.alarm(0)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def note(self, event):
        self.events.append(event.get("method"))
        found = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            details = found["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description") or details["text"])
        elif event.get("method") == "Runtime.consoleAPICalled" and found["type"] in ("error", "warning", "assert"):
            self.problems.append(" ".join(str(one.get("value", one.get("description"))) for one in found["args"]))
        elif event.get("method") == "Log.entryAdded" and found["entry"]["level"] in ("error", "warning"):
            self.problems.append(found["entry"]["text"])
        elif event.get("method") == "Network.requestWillBeSent" and \
                not found["request"]["url"].startswith(("file:", "data:", "about:")):
            self.problems.append(f"requests {found['request']['url']}")

    # ---- Pages ----

    def media(self, dark=False, kind="", width=1200, height=900):
        self.call("Emulation.setEmulatedMedia", media=kind, features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=False)

    def open(self, path):
        """Opens a file and waits until it is complete."""
        self.events.clear()
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        while "Page.loadEventFired" not in self.events:
            for one in self.messages():
                self.note(one)

    def value(self, expression):
        """The value of an expression of JavaScript."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(f"{expression}: {found['exceptionDetails']}")
        return found["result"].get("value")

    def key(self, key, shift=False):
        """Presses a key where the focus is."""
        text = {"Enter": "\r", "Space": " "}.get(key, key if len(key) == 1 else "")
        name = " " if key == "Space" else key
        codes = {"Tab": 9, "Enter": 13, "Space": 32, "ArrowLeft": 37, "ArrowRight": 39, "Escape": 27, "Home": 36, "End": 35}
        common = {"key": name, "modifiers": 8 if shift else 0, "windowsVirtualKeyCode": codes.get(key, ord(key[0]))}
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def drag(self, start, end):
        """Drags from one point of the window to another."""
        for kind, (x, y), buttons in (("mouseMoved", start, 0), ("mousePressed", start, 1),
                                      ("mouseMoved", ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2), 1),
                                      ("mouseMoved", end, 1), ("mouseReleased", end, 0)):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, buttons=buttons,
                      button="none" if kind == "mouseMoved" and not buttons else "left", clickCount=1)

    def screenshot(self, path, whole=True):
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 9000), "scale": 1}
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole,
                         **({"clip": clip} if whole else {}))["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
