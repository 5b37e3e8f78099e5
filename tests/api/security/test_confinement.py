"""What the service's processes do with untrusted files, and what ``doctor`` says of the kernel."""

import ast
from pathlib import Path
from typing import Final

import pytest

from tests.support.servers.service import CHECKOUT
from visual_review.cli.server.doctor import describe_server
from visual_review.kernel.confinement.landlock import landlock_version
from visual_review.kernel.confinement.seccomp import seccomp_available

SOURCES: Final = CHECKOUT / "src" / "visual_review"


@pytest.mark.skipif(
    not (landlock_version() and seccomp_available()),
    reason="this kernel has no Landlock or no seccomp",
)
def test_doctor_says_what_the_kernel_offers() -> None:
    kernel, *_ = describe_server()
    assert kernel == f"kernel: Landlock version {landlock_version()}, seccomp"


def calls_of_pillow(path: Path) -> set[str]:
    """Return which of Pillow's readers of files and of raw data a module calls."""
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
        "reference/scanlines.py": {"frombytes"},
        # Pixels that our own PNG reader decoded, as an image without a copy.
        "imagediff/rendering/windows.py": {"frombuffer"},
        # The size of a file that the service rendered itself.
        "imagediff/rendering/encoding.py": {"open"},
        # The client half: files that people compare on their own machine; none is uploaded.
        "comparing/pillow_decoder.py": {"open"},
        # The client half: images of their own that people publish; only the PNG is uploaded.
        "publishing/other_formats.py": {"frombytes", "open"},
    }
    assert (SOURCES / "client" / "comparing" / "pillow_decoder.py").exists()
    assert (SOURCES / "client" / "publishing" / "other_formats.py").exists()
