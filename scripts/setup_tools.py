"""The programs a machine may lack: uv with the Python packages, Node, and Chromium."""

import os
import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from scripts.setup_steps import (
    ROOT,
    TOOLS,
    VENV,
    VENV_BIN,
    SetupError,
    content_hash,
    is_fresh,
    require_success,
    run_program,
    say,
    write_stamp,
)

CHROMIUM_VARIABLE = "VISUAL_REVIEW_CHROMIUM"
# The same names, in the same order, as the capture looks for.
CHROMIUM_NAMES = (
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
CHROMIUM_PACKAGES = ("chromium-headless-shell", "chromium")
PLAYWRIGHT_PATH = (
    "from playwright.sync_api import sync_playwright\n"
    "with sync_playwright() as tools: print(tools.chromium.executable_path)"
)


def find_uv() -> Path:
    """Return uv from the path, or install uv into a virtual environment of its own.

    Raises SetupError when uv can be neither found nor installed.
    """
    if found := shutil.which("uv"):
        return Path(found)
    private = TOOLS / "bin" / "uv"
    if not private.is_file():
        say("installing uv into .tools")
        advice = (
            "Install uv (https://docs.astral.sh/uv), or Python's venv module (on Debian and Ubuntu: "
            "apt-get install python3-venv) and a way to the Python package index, and try again."
        )
        require_success([sys.executable, "-m", "venv", "--clear", TOOLS], advice)
        require_success([TOOLS / "bin" / "python", "-m", "pip", "install", "--quiet", "uv"], advice)
    return private


def ensure_packages(uv: Path) -> None:
    """Install the packages of uv.lock into .venv, unless the same were installed before."""
    stamp = VENV / ".setup-stamp"
    value = content_hash([ROOT / "pyproject.toml", ROOT / "uv.lock"])
    if is_fresh(stamp, value):
        return
    say("installing the Python packages into .venv")
    python = [] if VENV.exists() else ["--python", sys.executable]
    command: list[str | Path] = [uv, "sync", "--frozen", "--all-extras", "--quiet", *python]
    require_success(command, "Can this machine reach the Python package index?")
    write_stamp(stamp, value)


def node_version(node: str | Path) -> tuple[int, ...]:
    """Return major and minor version; empty when the program does not start."""
    match = re.match(r"v(\d+)\.(\d+)", run_program([node, "--version"]).stdout)
    return tuple(int(part) for part in match.groups()) if match else ()


def is_supported(version: tuple[int, ...]) -> bool:
    """Return whether Node is new enough for the MCP inspector, the strictest of the tools."""
    return version >= (22, 19)


def find_node() -> Path:
    """Return the folder with node and npm: the system's if new enough, else the one in .venv.

    Raises SetupError when neither works.
    """
    system = shutil.which("node")
    if system and shutil.which("npm") and is_supported(node_version(system)):
        return Path(system).parent
    if is_supported(node_version(VENV_BIN / "node")):
        return VENV_BIN
    raise SetupError(
        "No Node 22.19 or newer was found, neither on the path nor in .venv. "
        "Delete .venv and try again, or install Node."
    )


def can_start(program: str | Path) -> bool:
    """Return whether a browser prints its version; one without libraries and a snap stub do not."""
    return run_program([program, "--version"]).returncode == 0


def installed_chromium() -> Path | None:
    named = os.environ.get(CHROMIUM_VARIABLE)
    if named:
        if not can_start(named):
            raise SetupError(f"{CHROMIUM_VARIABLE} names {named}, which does not start.")
        return Path(named)
    found = (shutil.which(name) for name in CHROMIUM_NAMES)
    return next((Path(path) for path in found if path and can_start(path)), None)


def playwright_chromium() -> Path | None:
    path = Path(run_program([VENV_BIN / "python", "-c", PLAYWRIGHT_PATH]).stdout.strip())
    return path if path.is_file() and can_start(path) else None


def root_prefix() -> list[str] | None:
    """Return the prefix for running a command as root; None if root is out of reach."""
    if os.geteuid() == 0:
        return []
    return ["sudo", "-n"] if run_program(["sudo", "-n", "true"]).returncode == 0 else None


def try_to_install(command: Sequence[str | Path]) -> None:
    """Run an installer, and print the last line when it fails; callers check the result."""
    result = run_program(command)
    if result.returncode != 0:
        lines = result.stdout.strip().splitlines() or ["(it printed nothing)"]
        say(f"that did not work: {lines[-1]}")


def chromium_from_apt() -> Path | None:
    root = root_prefix()
    if root is None or not shutil.which("apt-get"):
        return None
    say("installing Chromium with apt-get")
    quiet = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--yes", "--quiet"]
    try_to_install([*root, *quiet, "update"])
    for package in CHROMIUM_PACKAGES:
        packages = [package, "fonts-liberation"]
        try_to_install([*root, *quiet, "install", "--no-install-recommends", *packages])
        if found := installed_chromium():
            return found
    return None


def chromium_from_playwright() -> Path | None:
    say("downloading Chromium with Playwright")
    try_to_install([VENV_BIN / "playwright", "install", "--only-shell", "chromium"])
    if found := playwright_chromium():
        return found
    # The download may be there but lack system libraries; only root can install them.
    if root_prefix() is not None:
        say("installing the system libraries of that browser")
        try_to_install([VENV_BIN / "playwright", "install-deps", "chromium"])
    return playwright_chromium()


def ensure_chromium() -> Path:
    """Return a Chromium that starts: found, installed as a package, or downloaded, in this order.

    Raises SetupError when none of these work.
    """
    finders = (installed_chromium, playwright_chromium, chromium_from_apt, chromium_from_playwright)
    for find in finders:
        if found := find():
            return found
    raise SetupError(
        "No Chromium was found, and neither apt-get nor Playwright could install one. Install "
        "chromium or google-chrome so that it is on the path, or name one in "
        f"{CHROMIUM_VARIABLE}, and try again."
    )
