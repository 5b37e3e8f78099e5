"""Small Storybooks without a bundler: a page, a script and a list of stories."""

import shutil
from pathlib import Path

TESTS = Path(__file__).parents[1]
SMALL_STORYBOOKS = TESTS / "storybooks"
# This Storybook's scripts are complete; the others need its channel next to them.
BAD_STORYBOOK = TESTS / "journeys" / "capture" / "bad_storybook"
CHANNEL = "channel.js"


def copy_small_storybook(name: str, folder: Path) -> Path:
    """Copy the Storybook ``name`` of ``tests/storybooks`` to ``folder``, and complete the copy."""
    shutil.copytree(SMALL_STORYBOOKS / name, folder)
    shutil.copyfile(BAD_STORYBOOK / CHANNEL, folder / CHANNEL)
    return folder
