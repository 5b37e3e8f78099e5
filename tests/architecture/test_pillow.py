"""Pillow opens no uploaded file: our own PNG reader does."""

import ast
from pathlib import Path
from typing import Final

SOURCES: Final = Path(__file__).parents[2] / "src" / "visual_review"


def calls_of_pillow(path: Path) -> set[str]:
    """Return the calls of a module to Pillow's readers of files and raw data."""
    tree = ast.parse(path.read_text())
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "Image"
        and node.attr in {"open", "frombytes", "frombuffer"}
    }


def test_pillow_opens_no_uploaded_file() -> None:
    files = SOURCES.rglob("*.py")
    found = {f"{path.parent.name}/{path.name}": calls_of_pillow(path) for path in files}
    assert {name: calls for name, calls in found.items() if calls} == {
        # Our own PNG reader has checked and inflated the rows; Pillow only reverses their filters.
        "reference/decoder.py": {"frombytes"},
        # Pixels decoded by our own PNG reader, as an image without a copy.
        "rendering/windows.py": {"frombuffer"},
        # Pixels decoded by our own PNG reader, for finding the content.
        "imagediff/content.py": {"frombuffer"},
        # The size of a file rendered by the service itself.
        "rendering/thumbnails.py": {"open"},
        # The client half: files that people compare on their own machine; none is uploaded.
        "comparing/other_formats.py": {"open"},
        # The client half: images of their own that people publish; only the PNG is uploaded.
        "publishing/image_folder.py": {"frombytes", "open"},
    }
    assert (SOURCES / "client" / "comparing" / "other_formats.py").exists()
    assert (SOURCES / "client" / "publishing" / "image_folder.py").exists()
