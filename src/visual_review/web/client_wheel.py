"""The client of this version as a wheel, made of the server's own files.

So CI installs the client that fits the server, from a server that CI reaches anyway.
"""

import base64
import hashlib
import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from email.policy import compat32
from functools import cache
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Final

import visual_review

DISTRIBUTION: Final = "visual-review"
PACKAGE: Final = Path(visual_review.__file__).parent
# Everything imported by the client's commands; the commands of the server are left out.
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
    "kernel/span_export.py",
    "kernel/tracing.py",
    "kernel/usable_cores.py",
    "variants.py",
)
FILE_TYPES: Final = frozenset({".py", ".typed", ".txt", ".html", ".css", ".js", ".json"})
# Written into wheels of the whole project during the build.
COMMIT_FILE: Final = "commit.txt"
COMMIT_LENGTH: Final = 12
HASH_LENGTH: Final = 8
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
    """A file for pip to install."""

    name: str
    content: bytes
    sha256: str


def wheel_name() -> str:
    return client_wheel().name


@cache
def client_wheel() -> ClientWheel:
    """Make the wheel, once in each process."""
    installed = distribution(DISTRIBUTION)
    files = dict(_package_files())
    version = client_version(installed.version, find_commit(PACKAGE), files)
    # Dashes separate the parts of a wheel's name.
    stem = f"{DISTRIBUTION.replace('-', '_')}-{version.replace('-', '_')}"
    info = f"{stem}.dist-info"
    files |= _metadata_files(installed, version, info)
    files[f"{info}/RECORD"] = _record(files, f"{info}/RECORD")
    content = _zip(files)
    name = f"{stem}-py3-none-any.whl"
    return ClientWheel(name, content, hashlib.sha256(content).hexdigest())


def client_version(version: str, commit: str, files: Mapping[str, bytes]) -> str:
    """Return the version with the commit, if known, and a hash of the files.

    Every change is another version: pip does not install a version that is already installed.
    """
    content = hashlib.sha256()
    for name, data in sorted(files.items()):
        content.update(f"{name} {len(data)}\n".encode() + data)
    parts = [f"g{commit[:COMMIT_LENGTH]}"] * bool(commit)
    return f"{version}+{'.'.join([*parts, f'h{content.hexdigest()[:HASH_LENGTH]}'])}"


def find_commit(package: Path) -> str:
    """Return the commit of the package's build, empty if unknown."""
    built = package / COMMIT_FILE
    if built.is_file():
        return built.read_text(encoding="utf-8").strip()
    checkout = package.parent.parent
    try:
        head = (checkout / ".git" / "HEAD").read_text(encoding="utf-8").strip()
        return _resolve_ref(checkout / ".git", head.removeprefix("ref: "))
    except OSError:
        return ""


def _resolve_ref(git: Path, ref: str) -> str:
    if "/" not in ref:
        return ref
    if (git / ref).is_file():
        return (git / ref).read_text(encoding="utf-8").strip()
    packed = (git / "packed-refs").read_text(encoding="utf-8").splitlines()
    return next((line.split()[0] for line in packed if line.endswith(f" {ref}")), "")


def _package_files() -> Iterator[tuple[str, bytes]]:
    for part in PARTS:
        path = PACKAGE / part
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.suffix in FILE_TYPES and file.is_file():
                name = file.relative_to(PACKAGE.parent).as_posix()
                yield name, file.read_bytes()


def _metadata_files(installed: Distribution, version: str, info: str) -> dict[str, bytes]:
    files = {
        f"{info}/METADATA": _client_metadata(installed, version).as_bytes(),
        f"{info}/WHEEL": WHEEL.encode(),
        f"{info}/entry_points.txt": (installed.read_text("entry_points.txt") or "").encode(),
    }
    license_text = installed.read_text("licenses/LICENSE")
    if license_text:
        files[f"{info}/licenses/LICENSE"] = license_text.encode()
    return files


def _client_metadata(installed: Distribution, version: str) -> Message:
    """Return the client's metadata: without the dependencies of the server."""
    # pip refuses requirements folded into two lines.
    metadata = Message(compat32.clone(max_line_length=0))
    for field in COPIED_FIELDS:
        if field in installed.metadata:
            metadata[field] = version if field == "Version" else installed.metadata[field]
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
