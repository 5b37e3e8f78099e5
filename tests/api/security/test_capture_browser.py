"""The browser for running stories: sandboxed, with no credential in its environment."""

import asyncio
import os
import shlex
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.browser import chromium
from tests.support.ci.job import run
from tests.support.small_storybooks import BAD_STORYBOOK
from visual_review.client.capture import CaptureSettings
from visual_review.client.capture.browser import BrowserLauncher, open_launcher
from visual_review.client.capture.sandbox import (
    NO_NAMESPACES,
    OUT_OF_REACH,
    USER_IDS,
    WRAPPER,
    Sandbox,
)

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="needs /proc")
SECRETS = {
    "UI_REVIEW_TOKEN": "vr_ci_first-secret",
    "GITHUB_TOKEN": "second-secret",
    "HTTPS_PROXY": "http://name:third-secret@proxy.example",
    "PLAYWRIGHT_SERVICE_ACCESS_TOKEN": "fourth-secret",
}
# Chromium's message in a container without user namespaces.
DENIES_NAMESPACES = """
case " $* " in *" --no-sandbox "*) exec {browser} "$@" ;; esac
echo '[1:1:FATAL:zygote_host_impl_linux.cc(128)] No usable sandbox!' >&2
exit 1
"""


@dataclass(frozen=True)
class Process:
    """A running process as ``/proc`` shows it."""

    type: str
    status: dict[str, list[str]]


def read_status(process: object) -> dict[str, list[str]]:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return {name: values.split() for name, _, values in (line.partition(":") for line in lines)}


@dataclass(frozen=True)
class ObservedBrowser:
    """A browser started while this process had ``SECRETS``, with all observations.

    ``environments`` are the environments of every process of the browser.
    """

    sandbox: Sandbox
    processes: list[Process]
    environments: bytes
    own_environment: dict[str, str]
    left_behind: list[Path]


async def observe(launcher: BrowserLauncher) -> tuple[list[Process], bytes]:
    browser = await launcher.take_browser()
    session = browser.connection.browser
    created = await session.send("Target.createTarget", url="data:text/html,a story")
    page = await browser.connection.attach(created["targetId"])
    await page.send("Runtime.evaluate", expression="0")
    listed = (await session.send("SystemInfo.getProcessInfo"))["processInfo"]
    processes = [Process(each["type"], read_status(each["id"])) for each in listed]
    texts = [read_environment(process) for process in descendants(os.getpid())]
    await browser.close()
    return processes, b"\0".join(texts)


@pytest.fixture(scope="module")
def observed() -> Iterator[ObservedBrowser]:
    async def run() -> tuple[Sandbox, list[Process], bytes]:
        async with open_launcher(CaptureSettings(), 1) as launcher:
            return launcher.sandbox, *await observe(launcher)

    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        Path(folder).chmod(0o711)
        patch.setattr(tempfile, "tempdir", folder)
        for name, value in SECRETS.items():
            patch.setenv(name, value)
        sandbox, processes, environments = asyncio.run(run())
        left_behind = list(Path(folder).iterdir())
        yield ObservedBrowser(sandbox, processes, environments, dict(os.environ), left_behind)


def read_environment(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/environ").read_bytes()
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        # Ended since, or in the sandbox, unreadable even for its own user.
        return b""


def descendants(pid: int) -> Iterator[int]:
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, children.read_text().split()):
            yield child
            yield from descendants(child)


def sandbox_of(settings: CaptureSettings) -> Sandbox:
    async def launch() -> Sandbox:
        async with open_launcher(settings, 1) as launcher:
            return launcher.sandbox

    return asyncio.run(launch())


@pytest.fixture
def write_wrapper() -> Iterator[Callable[..., Path]]:
    """Write a program for starting the browser, in a folder readable for every user."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)

        def write(script: str, mode: int = 0o755) -> Path:
            path = Path(folder) / "private" / "wrapper"
            path.parent.mkdir(mode=mode)
            browser = shlex.quote(chromium() or "chromium")
            path.write_text(f"#!/bin/sh\n{script.format(browser=browser)}")
            path.chmod(mode)
            return path

        yield write


def test_a_page_has_no_rights_but_those_of_the_sandbox(observed: ObservedBrowser) -> None:
    if not observed.sandbox.active:
        pytest.skip(f"the browser runs here {observed.sandbox.describe()}")
    own = read_status("self")
    renderers = [each.status for each in observed.processes if each.type == "renderer"]
    assert renderers
    for status in renderers:
        # System calls are filtered, and the process sees only processes of the sandbox.
        assert status["Seccomp"] == ["2"]
        assert len(status["NSpid"]) > len(own["NSpid"])
        assert int(status["CapEff"][0], 16) == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has another user for the browser")
def test_root_gives_the_browser_a_user_of_its_own(observed: ObservedBrowser) -> None:
    assert observed.sandbox.user in USER_IDS
    for process in observed.processes:
        assert set(process.status["Uid"]) == {str(observed.sandbox.user)}
        assert set(process.status["Gid"]) == {str(observed.sandbox.user)}
        assert process.status["Groups"] == []
        assert int(process.status["CapPrm"][0], 16) == 0


def test_no_process_of_the_browser_has_a_credential(observed: ObservedBrowser) -> None:
    assert b"-secret" not in observed.environments
    # The environments of several processes were read.
    assert observed.environments.count(b"PATH=") > 1
    assert observed.own_environment.items() >= SECRETS.items()


def test_the_browser_leaves_no_files(observed: ObservedBrowser) -> None:
    assert observed.left_behind == []


def test_a_browser_whose_sandbox_is_denied_runs_without_it(
    write_wrapper: Callable[..., Path],
) -> None:
    settings = CaptureSettings(chromium=write_wrapper(DENIES_NAMESPACES))
    sandbox = sandbox_of(settings)
    assert sandbox.failure == NO_NAMESPACES
    # Even so, root's files and the environments of root's processes stay out of reach.
    assert (sandbox.user is not None) == (os.geteuid() == 0)


def test_a_wrapper_that_turns_the_sandbox_off_is_noticed(
    write_wrapper: Callable[..., Path],
) -> None:
    settings = CaptureSettings(chromium=write_wrapper('exec {browser} --no-sandbox "$@"'))
    assert sandbox_of(settings).failure == WRAPPER


@pytest.mark.skipif(os.geteuid() != 0, reason="for others the browser is readable")
def test_a_browser_that_only_root_can_read_is_named(write_wrapper: Callable[..., Path]) -> None:
    settings = CaptureSettings(chromium=write_wrapper('exec {browser} "$@"', 0o700))
    assert sandbox_of(settings) == Sandbox(None, OUT_OF_REACH)


def test_the_commands_say_so_in_one_line_or_refuse(
    write_wrapper: Callable[..., Path], tmp_path: Path
) -> None:
    browser = ["--chromium", str(write_wrapper(DENIES_NAMESPACES))]
    command = ["capture", str(BAD_STORYBOOK), "--output", str(tmp_path), "--story", "calm--first"]
    command += ["--theme", "light", "--device", "phone", *browser]
    captured = run(command, os.environ)
    assert captured.returncode == 0, captured.stderr
    (line,) = [line for line in captured.stderr.splitlines() if "sandbox" in line]
    assert line.startswith("note: The browser ran without its sandbox")
    assert str(NO_NAMESPACES) in line
    refused = run([*command, "--require-sandbox"], os.environ)
    assert refused.returncode == 2
    assert f"cannot run in its sandbox: {NO_NAMESPACES}" in refused.stderr
    checked = run(["doctor", *browser], os.environ)
    assert f": {NO_NAMESPACES}" in checked.stdout
    assert "ok       browser: " in checked.stdout
