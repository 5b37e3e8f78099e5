"""The native engine without mercy: what it would leave to the other engine may be an error."""

from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from visual_review.imagediff.engine import numpy_engine
from visual_review.imagediff.native import library
from visual_review.imagediff.native.engine import NativeEngine
from visual_review.imagediff.native.inflating import UnusualFileError

UNREADABLE = 1


@dataclass(frozen=True, slots=True)
class StrictEngine(NativeEngine):
    """Raises AssertionError where the library panics or is given data of a wrong length."""

    def _call(self, function: str, *arguments: object) -> None:
        status = getattr(self.library, function)(*arguments)
        assert status in (0, UNREADABLE), f"{function} ends with status {status}"
        if status:
            raise UnusualFileError


def strict_engine() -> StrictEngine:
    """Return the native engine. Raises LibraryError where its library cannot be loaded."""
    return StrictEngine(library.load_library(), numpy_engine)


def use_library(path: Path) -> None:
    """Load another library in this process, such as one with checks of overflow."""
    library.load_library.cache_clear()
    with patch.object(library, "library_path", return_value=path.resolve()):
        library.load_library()
