"""What a hijacked video decoder tries: ``python -m tests.support.decoder_attacks FOLDER SECRET``.

Confines itself as the decoder does, then tries everything and prints as JSON which attempts
succeeded. Further arguments: ``free`` does not confine, ``old`` does it as on an old kernel, and
``exec`` also tries to become another program.
"""

import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

from visual_review.kernel.confinement import decoder
from visual_review.kernel.confinement.system_call_numbers import NUMBERS
from visual_review.kernel.confinement.system_calls import MACHINE, system_call

COLUMN = ("x86_64", "aarch64").index(MACHINE)
PTRACE_SEIZE = 0x4206
ABSTRACT = "\0visual-review-attack"


def number(name: str) -> int:
    found = NUMBERS[name][COLUMN]
    assert found is not None
    return found


def connect_over_tcp() -> None:
    with socket.socket() as client:
        # Nothing listens there; an attempt that arrives is refused by the other side.
        if client.connect_ex(("127.0.0.1", 9)) == 0:
            return


def start_program() -> None:
    if os.fork() == 0:
        os._exit(0)
    os.wait()


def replace_by_program() -> None:
    os.execv("/bin/true", ["true"])  # noqa: S606 - A fixed program.


def read_parents_environment() -> None:
    assert Path(f"/proc/{os.getppid()}/environ").read_bytes()


def attach_to_parent() -> None:
    system_call(number("ptrace"), PTRACE_SEIZE, os.getppid(), None, None)


def read_parents_memory() -> None:
    try:
        system_call(number("process_vm_readv"), os.getppid(), None, 0, None, 0, 0)
    except OSError as error:
        if error.errno != 0:
            raise


def become_root_of_a_namespace() -> None:
    system_call(number("unshare"), 0x10000000)


def open_link_in_own_folder(secret: Path) -> None:
    Path("link").symlink_to(secret)
    assert Path("link").read_text()


def read_in_a_thread(secret: Path) -> None:
    read: list[str] = []

    def attempt() -> None:
        try:
            read.append(secret.read_text())
        except OSError:
            return

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    if not read:
        raise PermissionError


def attempts(secret: Path) -> dict[str, Callable[[], object]]:
    return {
        "open a socket": socket.socket,
        "connect over TCP": connect_over_tcp,
        "pair of sockets": socket.socketpair,
        "read a file of the system": Path("/etc/passwd").read_text,
        "read a secret of the service": secret.read_text,
        "read it in a thread": lambda: read_in_a_thread(secret),
        "read it through a link": lambda: open_link_in_own_folder(secret),
        "list a folder": lambda: list(Path("/").iterdir()),
        "write outside": lambda: secret.with_name("written").write_text("x"),
        "replace a file outside": lambda: Path("own").rename(secret),
        "read the parent's environment": read_parents_environment,
        "read the parent's memory": read_parents_memory,
        "attach to the parent": attach_to_parent,
        "signal the parent": lambda: os.kill(os.getppid(), signal.SIGURG),
        "start a process": start_program,
        "enter a user namespace": become_root_of_a_namespace,
        "start io_uring": lambda: system_call(number("io_uring_setup"), 1, bytes(256)),
        "read keys": lambda: system_call(number("keyctl"), 0, -3, 0),
    }


def succeeds(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError:
        return False
    return True


def main(folder: str, secret: str, *mode: str) -> None:
    os.chdir(folder)
    if "old" in mode:
        # As on a kernel that has neither.
        with (
            patch.object(decoder, "landlock_version", return_value=0),
            patch.object(decoder, "seccomp_available", return_value=False),
        ):
            decoder.confine_decoder(Path())
    elif "free" not in mode:
        decoder.confine_decoder(Path())
    own = Path("own")
    own.write_text("the decoder's own file")
    succeeded = [name for name, attempt in attempts(Path(secret)).items() if succeeds(attempt)]
    own.write_text(own.read_text() if own.exists() else "")
    print(json.dumps(succeeded), flush=True)  # noqa: T201 - The result.
    if "exec" in mode and succeeds(replace_by_program):
        raise AssertionError


if __name__ == "__main__":
    main(*sys.argv[1:])
