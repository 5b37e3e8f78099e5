"""Publish the injections to a server: first ``publish.py before``, then ``publish.py after``.

The server is read from VISUAL_REVIEW_URL, the project token from UI_REVIEW_TOKEN. Between the two,
approve the first build, so that the second is compared with it.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from make_images import FOLDER, read_injections

COMMIT = "1f7c1b2c0f3d4e5a6b7c8d9e0f1a2b3c4d5e6f70"
BASE_BRANCH = "main"


def write_folder(folder: Path, side: str) -> Path:
    """Copy one side; a story of an injection is named by its text, which not all systems allow."""
    for injection in read_injections():
        source = FOLDER / side / f"{injection['id']}.png"
        if source.exists():
            shutil.copy(source, folder / f"{story_of(injection)}--light-desktop.png")
    return folder


def story_of(injection: dict[str, str]) -> str:
    return injection["text"] if injection["where"] == "story" else f"card--{injection['id']}"


def list_runs(side: str) -> Iterator[tuple[str, str]]:
    """Yield branch and commit message of each build."""
    if side == "before":
        yield BASE_BRANCH, "Add the cards"
        return
    branches = [each["text"] for each in read_injections("branch")]
    for number, message in enumerate(read_injections("message")):
        branch = branches[number] if number < len(branches) else f"cards-{number}"
        yield branch, message["text"]


def main() -> int:
    side = sys.argv[1] if len(sys.argv) > 1 else ""
    if side not in {"before", "after"}:
        print(__doc__)
        return 2
    with tempfile.TemporaryDirectory() as name:
        folder = write_folder(Path(name), side)
        for branch, message in list_runs(side):
            options = ["--branch", branch, "--message", message, "--commit", COMMIT]
            naming = ["--images-only", "--name-pattern", "visual-review"]
            command = ["visual-review", "publish", str(folder), *options, *naming]
            # 1 is "review needed".
            if subprocess.run(command, check=False).returncode not in {0, 1}:
                return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
