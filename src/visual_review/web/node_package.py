"""The npm package of this version, made of the server's own files.

Like the wheel of the client, the package comes from a server that CI reaches anyway, and fits.
"""

import gzip
import hashlib
import io
import json
import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import visual_review
from visual_review.kernel.errors import NotFoundError

PACKAGE: Final = Path(visual_review.__file__).parent
# The package's folder in a wheel, and in a checkout.
FOLDERS: Final = (PACKAGE / "node_package", PACKAGE.parent.parent / "packages" / "node")
DESCRIPTION: Final = "package.json"
# Fields for the package's own development only.
DROPPED_FIELDS: Final = ("devDependencies", "scripts")
HASH_LENGTH: Final = 8
PACKAGE_NAME: Final = re.compile(r"visual-review(?:-[0-9A-Za-z.+-]{1,60})?\.tgz")
MISSING: Final = (
    "This server has no npm package: it was installed from a source without a build of it."
)


@dataclass(frozen=True)
class NodePackage:
    """A file for npm to install."""

    name: str
    content: bytes


def has_node_package() -> bool:
    return _find_folder() is not None


def package_name() -> str:
    return node_package().name


@cache
def node_package() -> NodePackage:
    """Make the package, once in each process. Raises NotFoundError without a built package."""
    folder = _find_folder()
    if folder is None:
        raise NotFoundError(MISSING)
    files = dict(_read_files(folder))
    description = json.loads(files[DESCRIPTION])
    digest = hashlib.sha256(b"".join(files[name] for name in sorted(files))).hexdigest()
    # Every change is another version: npm keeps the files of a version it already has.
    version = f"{description['version']}-h{digest[:HASH_LENGTH]}"
    kept = {name: value for name, value in description.items() if name not in DROPPED_FIELDS}
    files[DESCRIPTION] = json.dumps({**kept, "version": version}, indent=2).encode()
    return NodePackage(f"visual-review-{version}.tgz", _pack(files))


def _find_folder() -> Path | None:
    return next((each for each in FOLDERS if (each / "dist" / "esm").is_dir()), None)


def _read_files(folder: Path) -> Iterator[tuple[str, bytes]]:
    for path in (folder / DESCRIPTION, folder / "README.md", *sorted(folder.glob("dist/**/*"))):
        if path.is_file():
            yield path.relative_to(folder).as_posix(), path.read_bytes()


def _pack(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    # Equal files give equal bytes, whichever process makes the package.
    with (
        gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w") as archive,
    ):
        for name, content in files.items():
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size = len(content)
            entry.mode = 0o755 if name.endswith("cli.js") else 0o644
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()
