"""Small Storybooks with different ways to switch the theme, built with the real packages."""

import subprocess
from pathlib import Path

from scripts.setup_node import THEMED_STORYBOOKS, node_environment
from scripts.setup_tools import find_node

STORYBOOK = Path("node_modules", "storybook", "dist", "bin", "dispatcher.js")
BUILD_SECONDS = 150


def build_themed(way: str, output: Path) -> Path:
    """Build the Storybook with the preview ``ways/<way>.js`` into ``output``."""
    node = find_node()
    THEMED_STORYBOOKS.ensure(node)
    folder = THEMED_STORYBOOKS.folder
    done = subprocess.run(
        [
            str(node / "node"),
            str(folder / STORYBOOK),
            *("build", "--output-dir", str(output), "--disable-telemetry"),
        ],
        cwd=folder,
        env=node_environment(node) | {"CI": "1", "THEMED_WAY": way, "HOME": str(output.parent)},
        capture_output=True,
        text=True,
        timeout=BUILD_SECONDS,
        check=False,
    )
    assert (output / "index.json").is_file(), done.stdout[-2000:] + done.stderr[-2000:]
    return output
