"""The contents of a backup, for comparisons."""

import json
import re
import subprocess
import tarfile
from pathlib import Path
from typing import Any

from visual_review.config.standalone.postgres_programs import MAJOR, find_client

# Workers change with the processes.
TRANSIENT = {"tables/procrastinate_workers", "manifest.json", "complete.json", "database.dump"}
TABLE = re.compile(r"^COPY public\.(\S+) .*?;\n(.*?)^\\\.$", re.MULTILINE | re.DOTALL)


def contents(file: Path) -> dict[str, object]:
    """Return the contents of a backup: rows of tables in any order, bytes of files."""
    found: dict[str, object] = {}
    with tarfile.open(file) as tar:
        for member in tar:
            stream = tar.extractfile(member)
            assert stream is not None
            found[member.name] = stream.read()
    found |= tables(found["database.dump"])
    return {name: value for name, value in found.items() if name not in TRANSIENT}


def tables(dump: object) -> dict[str, list[str]]:
    done = subprocess.run(
        [find_client("pg_restore", MAJOR * 10_000), "--data-only", "--file=-"],
        input=dump,
        stdout=subprocess.PIPE,
        check=True,
    )
    found = TABLE.findall(done.stdout.decode())
    return {f"tables/{name}": sorted(rows.splitlines()) for name, rows in found}


def manifest(file: Path) -> dict[str, Any]:
    with tarfile.open(file) as tar:
        stream = tar.extractfile("manifest.json")
        assert stream is not None
        document: dict[str, Any] = json.load(stream)
        return document
