"""The protocol over a real pair of pipes, with a small program as the browser."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from visual_review.client.capture.devtools import (
    BrowserError,
    BrowserProcess,
    ConnectionLostError,
    ProtocolError,
    TargetLostError,
    start_browser,
)
from visual_review.client.capture.devtools.pipe import MessageSplitter

T = TypeVar("T")
# Responds like Chromium; the behavior depends on the name of the command.
PROGRAM = """
import json, os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
sys.stderr.write("a line of the log\\n"); sys.stderr.flush()
incoming, out = os.fdopen(3, "rb"), os.fdopen(4, "wb")
def send(**message):
    out.write(json.dumps(message).encode() + b"\\0"); out.flush()
buffer = b""
while data := os.read(3, 65536):
    *messages, buffer = (buffer + data).split(b"\\0")
    for message in map(json.loads, messages):
        name, session = message["method"], message.get("sessionId")
        extra = {"sessionId": session} if session else {}
        if name == "Target.attachToTarget":
            send(id=message["id"], result={"sessionId": "S" + message["params"]["targetId"]})
        elif name == "echo":
            send(id=message["id"], result=message["params"], **extra)
        elif name == "fail":
            send(id=message["id"], error={"message": "no such command"}, **extra)
        elif name == "crash":
            send(method="Inspector.targetCrashed", params={}, **extra)
        elif name == "detach":
            send(method="Target.detachedFromTarget", params={"sessionId": session})
        elif name == "say":
            send(method="Said", params=message["params"], **extra)
            send(id=message["id"], result={}, **extra)
        elif name == "child":
            send(id=message["id"], result={"pid": child.pid})
        elif name == "exit":
            sys.exit(3)
"""


def run(work: Callable[[BrowserProcess], Awaitable[T]]) -> T:
    async def start() -> T:
        process = await start_browser([sys.executable, "-c", PROGRAM], os.environ)
        try:
            async with asyncio.timeout(30):
                return await work(process)
        finally:
            await process.close()

    return asyncio.run(start())


def test_commands_get_their_results_and_errors_whatever_their_length() -> None:
    async def work(process: BrowserProcess) -> None:
        browser = process.connection.browser
        long = "x" * 3_000_000
        first, second = browser.start("echo", text=long), browser.start("echo", text="ü\n")
        assert (await second, await first) == ({"text": "ü\n"}, {"text": long})
        with pytest.raises(ProtocolError, match=r"^no such command \(fail\)$"):
            await browser.send("fail")

    run(work)


def test_events_reach_the_session_that_they_are_of() -> None:
    async def work(process: BrowserProcess) -> list[str]:
        heard: list[str] = []
        one, other = [await process.connection.attach(name) for name in ("1", "2")]
        one.on("Said", lambda event: heard.append(f"one {event['word']}"))
        other.on("Said", lambda event: heard.append(f"other {event['word']}"))
        await one.send("say", word="a")
        await other.send("say", word="b")
        return heard

    assert run(work) == ["one a", "other b"]


@pytest.mark.parametrize(
    ("command", "message"),
    [("crash", "the page crashed"), ("detach", "the page closed itself")],
)
def test_a_lost_page_fails_what_waits_for_it_and_nothing_else(command: str, message: str) -> None:
    async def work(process: BrowserProcess) -> None:
        page, other = [await process.connection.attach(name) for name in ("1", "2")]
        for method in (command, "echo"):
            with pytest.raises(TargetLostError, match=message):
                await page.send(method)
        assert await other.send("echo", number=1) == {"number": 1}

    run(work)


def test_the_end_of_the_browser_fails_everything() -> None:
    async def work(process: BrowserProcess) -> str:
        page = await process.connection.attach("1")
        with pytest.raises(ConnectionLostError, match="the browser ended"):
            await page.send("exit")
        with pytest.raises(ConnectionLostError):
            await process.connection.browser.send("echo")
        assert not process.running
        return await process.read_log()

    assert "[err] a line of the log\n" in run(work)


def is_running(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs /proc")
def test_closing_ends_the_browser_and_its_children() -> None:
    async def work(process: BrowserProcess) -> list[int]:
        child = await process.connection.browser.send("child")
        pids = [process.pid, int(child["pid"])]
        assert all(map(is_running, pids))
        return pids

    pids = run(work)
    deadline = time.monotonic() + 10
    while any(map(is_running, pids)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not any(map(is_running, pids))


def test_no_descriptor_stays_open() -> None:
    async def work(process: BrowserProcess) -> None:
        await process.connection.browser.send("echo")

    run(work)
    before = {each.name for each in Path("/dev/fd").iterdir()}
    run(work)
    assert {each.name for each in Path("/dev/fd").iterdir()} == before


def test_a_program_that_cannot_be_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(BrowserError, match=r"browser cannot be run: No such file"):
        asyncio.run(start_browser([str(tmp_path / "browser")], {}))


def test_messages_are_joined_wherever_they_were_split() -> None:
    data = b'{"a": 1}\0{"b": "' + b"x" * 10 + b'"}\0{"c": []}\0'
    for length in (1, 2, 7, len(data)):
        heard: list[dict[str, Any]] = []
        splitter = MessageSplitter(heard.append)
        for start in range(0, len(data), length):
            splitter.feed(data[start : start + length])
        assert heard == [{"a": 1}, {"b": "x" * 10}, {"c": []}]


def test_a_signal_for_this_process_does_not_reach_the_browser() -> None:
    async def work(process: BrowserProcess) -> int:
        return os.getpgid(process.pid)

    # Ctrl-C goes to the whole group; the browser ends when this process has cleaned up.
    assert run(work) != os.getpgid(0)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
