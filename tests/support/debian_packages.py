"""Programs of Debian packages, for deep tests of what others run next to the service."""

import os
import shutil
import subprocess

import pytest


def debian_program(name: str, package: str) -> str:
    """Return the path of the program, installed if root runs the tests; skips the test otherwise."""
    if (found := _find(name)) is not None:
        return found
    if os.geteuid() == 0 and shutil.which("apt-get"):
        for command in (["update"], ["install", "--no-install-recommends", package]):
            subprocess.run(
                ["apt-get", "--yes", "--quiet", *command],
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
                capture_output=True,
                timeout=300,
                check=False,
            )
    if (found := _find(name)) is None:
        pytest.skip(f"{name} is not installed, and the package {package} could not be installed")
    return found


def _find(name: str) -> str | None:
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
