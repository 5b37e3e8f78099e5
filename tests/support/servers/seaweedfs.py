"""SeaweedFS, the S3 server of compose.yaml, started with the command in the file."""

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.support.servers.service import Process, answers, environment, free_port, wait_until

PROGRAM: Final = shutil.which("weed", path=str(Path(sys.executable).parent))
# Each server in the one process listens on two ports; the second ports are not in the file.
OTHER_PORTS: Final = ("master", "volume", "filer", "admin")


@contextmanager
def seaweedfs(
    folder: Path, command: Sequence[str], env: Mapping[str, str], port: int
) -> Iterator[str]:
    """Run ``command`` with its folder and ports replaced; yields the URL of the S3 server."""
    replaced = {"-dir": str(folder / "data"), "-ip.bind": "127.0.0.1", "-s3.port": str(port)}
    arguments = [*(_replace(part, replaced) for part in command)]
    arguments += [f"-{name}.port={free_port()}" for name in OTHER_PORTS]
    (folder / "data").mkdir()
    log = folder / "seaweedfs.log"
    process = Process(arguments, log, environment(**env), program=[str(PROGRAM)], cwd=folder)
    url = f"http://127.0.0.1:{port}"
    try:
        wait_until("the S3 server is healthy", lambda: answers(f"{url}/healthz"), process)
        yield url
    finally:
        process.end()


def _replace(part: str, replaced: Mapping[str, str]) -> str:
    name, equals, value = part.partition("=")
    return f"{name}{equals}{replaced.get(name, value)}"
