"""What a backup contains, for comparisons."""

import gzip
import json
import tarfile
from pathlib import Path
from typing import Any

# Workers change with the processes.
TRANSIENT = {"tables/procrastinate_workers.copy.gz", "manifest.json", "complete.json"}


def contents(file: Path) -> dict[str, object]:
    """Return the contents of a backup: rows of tables in any order, bytes of files."""
    found: dict[str, object] = {}
    with tarfile.open(file) as tar:
        for member in tar:
            stream = tar.extractfile(member)
            assert stream is not None
            data = stream.read()
            table = member.name.startswith("tables/")
            found[member.name] = sorted(gzip.decompress(data).splitlines()) if table else data
    return {name: value for name, value in found.items() if name not in TRANSIENT}


def manifest(file: Path) -> dict[str, Any]:
    with tarfile.open(file) as tar:
        stream = tar.extractfile("manifest.json")
        assert stream is not None
        document: dict[str, Any] = json.load(stream)
        return document
