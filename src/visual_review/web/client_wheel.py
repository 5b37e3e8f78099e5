"""The client of this version as a wheel, made of the files that this server runs.

So CI installs the client that fits the server, from a place that it reaches anyway.
"""

import base64
import hashlib
import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from functools import cache
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Final

import visual_review

DISTRIBUTION: Final = "visual-review"
PACKAGE: Final = Path(visual_review.__file__).parent
# All that the client's commands import; the commands of the server are left out.
PARTS: Final = (
    "__init__.py",
    "py.typed",
    "cli/__init__.py",
    "cli/commands.py",
    "cli/main.py",
    "cli/quick_command.py",
    "cli/client",
    "client",
    "imagediff",
    "kernel/__init__.py",
    "kernel/usable_cores.py",
)
FILE_TYPES: Final = frozenset({".py", ".typed", ".txt", ".html", ".css", ".js", ".json"})
SERVER_EXTRA: Final = "server"
COPIED_FIELDS: Final = ("Metadata-Version", "Name", "Version", "Summary", "Requires-Python")
# Equal files give equal bytes, whichever process makes the wheel.
MOMENT: Final = (2020, 1, 1, 0, 0, 0)
WHEEL: Final = (
    "Wheel-Version: 1.0\nGenerator: visual-review\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
)
WHEEL_NAME: Final = re.compile(r"visual_review-[0-9A-Za-z.!+_]{1,60}-py3-none-any\.whl")


@dataclass(frozen=True)
class ClientWheel:
    """A file that pip installs."""

    name: str
    content: bytes
    sha256: str


def wheel_name() -> str:
    return f"{_stem(distribution(DISTRIBUTION))}-py3-none-any.whl"


@cache
def client_wheel() -> ClientWheel:
    """Make the wheel, once in each process."""
    installed = distribution(DISTRIBUTION)
    info = f"{_stem(installed)}.dist-info"
    files = {**dict(_package_files()), **_metadata_files(installed, info)}
    files[f"{info}/RECORD"] = _record(files, f"{info}/RECORD")
    content = _zip(files)
    return ClientWheel(wheel_name(), content, hashlib.sha256(content).hexdigest())


def _stem(installed: Distribution) -> str:
    # Dashes separate the parts of a wheel's name.
    return f"{DISTRIBUTION.replace('-', '_')}-{installed.version.replace('-', '_')}"


def _package_files() -> Iterator[tuple[str, bytes]]:
    for part in PARTS:
        path = PACKAGE / part
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.suffix in FILE_TYPES and file.is_file():
                name = file.relative_to(PACKAGE.parent).as_posix()
                yield name, file.read_bytes()


def _metadata_files(installed: Distribution, info: str) -> dict[str, bytes]:
    files = {
        f"{info}/METADATA": _client_metadata(installed).as_bytes(),
        f"{info}/WHEEL": WHEEL.encode(),
        f"{info}/entry_points.txt": (installed.read_text("entry_points.txt") or "").encode(),
    }
    license_text = installed.read_text("licenses/LICENSE")
    if license_text:
        files[f"{info}/licenses/LICENSE"] = license_text.encode()
    return files


def _client_metadata(installed: Distribution) -> Message:
    """Return what describes the client: the dependencies of the server are not its own."""
    metadata = Message()
    for field in COPIED_FIELDS:
        if field in installed.metadata:
            metadata[field] = installed.metadata[field]
    for requirement in installed.requires or ():
        if f"extra == '{SERVER_EXTRA}'" not in requirement.replace('"', "'"):
            metadata["Requires-Dist"] = requirement
    return metadata


def _record(files: dict[str, bytes], own_name: str) -> bytes:
    lines = [f"{name},{_digest(content)},{len(content)}" for name, content in files.items()]
    return "\n".join([*lines, f"{own_name},,", ""]).encode()


def _digest(content: bytes) -> str:
    encoded = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    return f"sha256={encoded}"


def _zip(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, MOMENT)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return buffer.getvalue()
