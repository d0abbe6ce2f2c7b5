"""Firefox, and WebKit, the engine of iPhones, at the same few commands of WebDriver (W3C): Firefox
by Marionette, its own protocol, and WebKitGTK by its driver, on a screen that nobody sees."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

TIMEOUT = 60.0
"""Seconds that a browser may take to start, or a page to show something, on a busy machine."""
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""Key of an element's id (WebDriver, 12.1)."""
FIREFOX_SETTINGS = {
    "media.navigator.streams.fake": True,
    "media.navigator.permission.disabled": True,
    "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.disabledForTesting": True,
    "browser.shell.checkDefaultBrowser": False,
    "network.captive-portal-service.enabled": False,
    "remote.prefs.recommended": True,
}


def wait_for(true: Callable[[], object], what: object) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + TIMEOUT
    while not true():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


class WebDriver(ABC):
    """A browser with one page."""

    @abstractmethod
    def command(self, name: str, path: str, params: Mapping[str, Any]) -> Any:
        """Carry out a command; `name`: Marionette's, `path`: that of WebDriver."""

    def visit(self, url: str) -> None:
        """Go to a page."""
        self.command("Navigate", "/url", {"url": url})

    def run(self, script: str) -> Any:
        """Run a script in the page; return what it returns."""
        return self.command("ExecuteScript", "/execute/sync", {"script": script, "args": []})

    def tap(self, selector: str) -> None:
        """Tap an element, where a finger would."""
        found = self._find(selector)
        self.command("ElementClick", f"/element/{found}/click", {"id": found})

    def type_letters(self, selector: str, letters: str) -> None:
        """Type into an element."""
        found = self._find(selector)
        self.command("ElementSendKeys", f"/element/{found}/value", {"id": found, "text": letters})

    def resize(self, width: int, height: int) -> None:
        """Make the window as large as this."""
        self.command("SetWindowRect", "/window/rect", {"width": width, "height": height})

    def wait(self, condition: str) -> None:
        """Wait until an expression of the page's is true. It may load itself again meanwhile."""
        wait_for(
            lambda: self.run(f"try {{ return Boolean({condition}) }} catch {{ return false }}"), condition
        )

    def _find(self, selector: str) -> str:
        self.wait(f"document.querySelector({json.dumps(selector)})")
        query = {"using": "css selector", "value": selector}
        found = self.command("FindElement", "/element", query)
        return str(found.get("value", found)[ELEMENT])


class Firefox(WebDriver):
    """Firefox, spoken to by Marionette: a JSON array with its length before it, on a socket."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), TIMEOUT)
        self._stream = self._socket.makefile("rwb")
        self._number = 0
        self._receive()  # it says what it speaks
        self._send("WebDriver:NewSession", {})

    def _receive(self) -> Any:
        digits = b""
        while (digit := self._stream.read(1)) != b":":
            assert digit, "Firefox has gone"
            digits += digit
        return json.loads(self._stream.read(int(digits)))

    def _send(self, name: str, params: Mapping[str, Any]) -> Any:
        self._number += 1
        text = json.dumps([0, self._number, name, params]).encode()
        self._stream.write(b"%d:%b" % (len(text), text))
        self._stream.flush()
        _, number, fault, result = self._receive()
        assert number == self._number
        assert fault is None, fault
        return result

    def command(self, name: str, _path: str, params: Mapping[str, Any]) -> Any:
        """Carry out a command by Marionette."""
        result = self._send(f"WebDriver:{name}", params)
        return result.get("value") if isinstance(result, dict) and name != "FindElement" else result

    def close(self) -> None:
        """Hang up."""
        self._stream.close()
        self._socket.close()


class WebKit(WebDriver):
    """WebKitGTK's own small browser, spoken to through its driver."""

    def __init__(self, port: int, program: Path) -> None:
        self._session = ""
        self._root = f"http://127.0.0.1:{port}/session"
        options = {"binary": str(program), "args": ["--automation"]}
        wanted = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}
        self._session = "/" + self.command("", "", wanted)["sessionId"]

    def command(self, _name: str, path: str, params: Mapping[str, Any]) -> Any:
        """Carry out a command of WebDriver."""
        request = urllib.request.Request(
            f"{self._root}{self._session}{path}",
            json.dumps(params).encode(),
            {"content-type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as fault:
            raise AssertionError(fault.read().decode()) from None

    def close(self) -> None:
        """Close the browser."""
        request = urllib.request.Request(f"{self._root}{self._session}", method="DELETE")
        urllib.request.urlopen(request, timeout=TIMEOUT).close()


def _is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


@contextmanager
def _running(command: Sequence[str], **environment: str) -> Iterator[None]:
    """Run a program in a group of its own, which ends with the block."""
    with subprocess.Popen(
        command,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as program:
        try:
            yield
        finally:
            os.killpg(program.pid, 15)
            try:
                program.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(program.pid, 9)


@contextmanager
def firefox() -> Iterator[Firefox]:
    """Start Firefox without windows and with a camera that does not exist."""
    with ExitStack() as stack:
        profile, port = Path(stack.enter_context(tempfile.TemporaryDirectory())), _free_port()
        settings = {**FIREFOX_SETTINGS, "marionette.port": port}
        lines = (f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in settings.items())
        (profile / "user.js").write_text("\n".join(lines))
        command = ["firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", str(profile)]
        stack.enter_context(_running(command, HOME=str(profile)))
        wait_for(lambda: _is_listening(port), "Firefox")
        browser = Firefox(port)
        stack.callback(browser.close)
        yield browser


@contextmanager
def webkit() -> Iterator[WebKit]:
    """Start WebKitGTK's browser on a virtual screen."""
    (program,) = Path("/usr/lib").glob("*/webkit2gtk-4.1/MiniBrowser")
    with ExitStack() as stack:
        home, port = stack.enter_context(tempfile.TemporaryDirectory()), _free_port()
        reading, writing = os.pipe()
        with open(reading) as numbers:  # noqa: PTH123
            screen = subprocess.Popen(
                ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1920x1200x24", "-nolisten", "tcp"],
                pass_fds=(writing,),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            os.close(writing)
            stack.callback(screen.wait)
            stack.callback(screen.terminate)
            display = f":{numbers.readline().strip()}"
        # Its sandbox needs rights that a container does not give.
        stack.enter_context(
            _running(
                ["WebKitWebDriver", f"--port={port}"],
                DISPLAY=display,
                HOME=home,
                GDK_BACKEND="x11",
                WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS="1",
                WEBKIT_DISABLE_COMPOSITING_MODE="1",
            )
        )
        wait_for(lambda: _is_listening(port), "WebKit's driver")
        browser = WebKit(port, program)
        stack.callback(browser.close)
        yield browser


BROWSERS = {"firefox": firefox, "webkit": webkit}
