"""Servers of npm packages for tests."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from scripts.setup_node import HOST_EMULATORS
from scripts.setup_tools import find_node

END_SECONDS: Final = 60


@contextmanager
def node_process(
    script: str, *arguments: str
) -> Iterator[tuple["subprocess.Popen[str]", dict[str, Any]]]:
    """Run a server until the block ends; give the process, and the document on its first line."""
    process = subprocess.Popen(
        [find_node() / "node", HOST_EMULATORS.folder / script, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin
    assert process.stdout
    try:
        line = process.stdout.readline()
        assert line, f"{script} did not start: `make setup` installs what it needs"
        yield process, json.loads(line)
    finally:
        # A server ends with its standard input.
        process.stdin.close()
        try:
            process.wait(END_SECONDS)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
