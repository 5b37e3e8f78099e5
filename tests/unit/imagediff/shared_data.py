"""Where the images lie that are too large or not ours to commit."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3].parent / "shared" / "data"


def shared(*parts: str) -> Path:
    """Return a path below the shared data, or skip the calling test or module with words."""
    path = FOLDER.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"the shared images {path.name} are not beside this checkout")
    return path
