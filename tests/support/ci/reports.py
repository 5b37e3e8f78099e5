"""Folders of videos with reports in the form of test frameworks."""

import copy
import json
import zipfile
from pathlib import Path
from typing import Any

COLORED = (
    "\x1b[31mError: expect(locator).toBeVisible() failed\x1b[39m\n\nLocator: \x1b[2m#saved\x1b[22m"
)


def touch(path: Path, data: bytes = b"video") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def attachment(path: Path | str, name: str = "video", kind: str = "video/webm") -> dict[str, Any]:
    return {"name": name, "contentType": kind, "path": str(path)}


def result(**values: object) -> dict[str, Any]:
    return {
        "workerIndex": 0,
        "parallelIndex": 0,
        "status": "passed",
        "duration": 1500,
        "errors": [],
        "stdout": [],
        "stderr": [],
        "retry": 0,
        "startTime": "2026-03-01T12:00:00.000Z",
        "annotations": [],
        "attachments": [],
        **values,
    }


def spec(title: str, *results: dict[str, Any], status: str = "expected") -> dict[str, Any]:
    test = {
        "timeout": 30000,
        "annotations": [],
        "expectedStatus": "passed",
        "projectId": "chromium",
        "projectName": "chromium",
        "results": list(results),
        "status": status,
    }
    location = {"file": "login.spec.ts", "line": 3, "column": 5}
    return {"title": title, "ok": True, "tags": [], "tests": [test], "id": "a-b", **location}


def playwright(folder: Path, *specs: dict[str, Any]) -> Path:
    """Write a report with one file, whose specs are in the suite "Sign in"."""
    inner = {"title": "Sign in", "file": "login.spec.ts", "line": 2, "column": 6, "specs": [*specs]}
    outer = {"title": "login.spec.ts", "file": "login.spec.ts", "line": 0, "column": 0, "specs": []}
    document = {
        "config": {"rootDir": "/home/runner/work/web/tests", "projects": []},
        "suites": [{**outer, "suites": [inner]}],
        "errors": [],
        "stats": {"startTime": "2026-03-01T12:00:00.000Z", "duration": 3000},
    }
    return write(folder / "results.json", document)


def write(path: Path, document: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def mocha_test(title: str, **values: object) -> dict[str, Any]:
    passed = {"pass": True, "fail": False, "pending": False, "state": "passed", "err": {}}
    return {"title": title, "fullTitle": title, "timedOut": None, "duration": 400} | passed | values


def mochawesome(folder: Path, file: str, *tests: dict[str, Any]) -> Path:
    suite = {"title": "Sign in", "fullFile": "", "file": "", "tests": [*tests], "suites": []}
    root = {"title": "", "fullFile": file, "file": file, "tests": [], "suites": [suite]}
    stats = {"start": "2026-03-01T12:00:00.000Z", "tests": len(tests)}
    return write(folder / "mochawesome.json", {"stats": stats, "results": [root], "meta": {}})


def zip_bomb(path: Path, entries: int, size: int) -> Path:
    """Write a small trace whose entries unpack to ``size`` bytes each, and whose last is repeated."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("test.trace", json.dumps({"type": "context-options", "monotonicTime": 1}))
        for number in range(entries):
            archive.writestr(f"{number}-trace.trace", b" " * size)
        # Several entries of one name may have the same bytes, so that the archive is even smaller.
        archive.filelist += [copy.copy(archive.filelist[-1]) for _ in range(entries)]
    return path
