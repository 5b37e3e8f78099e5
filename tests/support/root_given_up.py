"""Gives up root, then tries what root can: ``python -m tests.support.root_given_up DATA SECRET FOLDER``.

FOLDER is one that the account cannot read, or empty. Prints as JSON what succeeded.
"""

import encodings.idna  # noqa: F401 - No code can be loaded later where only root can read it.
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from visual_review.config.standalone import privileges
from visual_review.config.standalone.os_user import Account
from visual_review.kernel.confinement.system_call_numbers import NUMBERS
from visual_review.kernel.confinement.system_calls import MACHINE, system_call

NOBODY = 65534


def open_by_handle() -> None:
    # With the right to read files, a handle leads past all paths.
    number = NUMBERS["open_by_handle_at"][("x86_64", "aarch64").index(MACHINE)]
    assert number is not None
    system_call(number, 0, bytes(64), 0)


def run_program(*command: object) -> None:
    if subprocess.run([str(part) for part in command], capture_output=True, check=False).returncode:
        raise PermissionError


def write_and_read(file: Path) -> None:
    file.write_text("x")
    file.read_text()


def rename_between_folders(file: Path) -> None:
    (file.parent / "inner").mkdir()
    file.rename(file.parent / "inner" / file.name)


def attempts(data: Path, secret: Path) -> dict[str, Callable[[], object]]:
    return {
        "read a file of root": secret.read_text,
        "read passwords of the system": Path("/etc/shadow").read_text,
        "read a file of root with a program": lambda: run_program("/bin/cat", secret),
        "open a file by its handle": open_by_handle,
        "return to root": lambda: os.setuid(0),
        "own file": lambda: write_and_read(data / "own"),
        "rename": lambda: rename_between_folders(data / "own"),
        "start a program": lambda: run_program("/bin/true"),
        "look up a name": lambda: socket.getaddrinfo("localhost", 80),
        "temporary file": lambda: tempfile.TemporaryFile().close(),
        "configuration": Path("/etc/hosts").read_text,
    }


def succeeds(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError:
        return False
    return True


def main(data: str, secret: str, obstacle: str) -> None:
    account = Account(NOBODY, NOBODY, change=True)
    plan = privileges.Plan(account, Path(obstacle) if obstacle else None)
    privileges.become_account(plan, [Path(data)])
    tried = attempts(Path(data), Path(secret))
    succeeded = [name for name, attempt in tried.items() if succeeds(attempt)]
    ids = [*os.getresuid(), *os.getresgid(), *os.getgroups()]
    print(json.dumps({"ids": ids, "succeeded": succeeded}))  # noqa: T201 - The result.


if __name__ == "__main__":
    main(*sys.argv[1:])
