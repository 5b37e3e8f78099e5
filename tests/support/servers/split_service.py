"""Web processes and workers on a given database and a folder, as an operator starts them."""

import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from tests.support.servers.service import (
    OWNER,
    PROGRAM,
    Process,
    answers,
    environment,
    free_port,
    run,
    wait_until,
)

CLIENT_SECONDS = 300
SECRET_KEY = "a secret key of the tests, long enough for any use"


@dataclass
class SplitService:
    """``env`` is the environment of all processes; the first port is the public URL's."""

    folder: Path
    env: Mapping[str, str]
    ports: list[int]
    processes: list[Process] = field(default_factory=list)
    key: str = ""

    @property
    def url(self) -> str:
        return self.url_of(0)

    def url_of(self, number: int) -> str:
        return f"http://127.0.0.1:{self.ports[number]}"

    def migrate(self) -> None:
        """Create the tables and the owner, and a key of the owner."""
        owner = {
            "VISUAL_REVIEW_OWNER_EMAIL": OWNER[0],
            "VISUAL_REVIEW_OWNER_PASSWORD": OWNER[1],
        }
        migrated = run(["migrate"], {**self.env, **owner})
        assert migrated.code == 0, migrated.err
        made = run(["keys", "create", "--name", "tests", "--user", OWNER[0], "--quiet"], self.env)
        assert made.code == 0, made.err
        self.key = made.out.strip()

    def start(self, *arguments: str, **variables: str) -> Process:
        log = self.folder / f"{arguments[0]}-{len(self.processes)}.log"
        process = Process(arguments, log, {**self.env, **variables})
        self.processes.append(process)
        return process

    def start_all(self, *workers: Mapping[str, str]) -> None:
        """Start a web process for each port, and a worker for each mapping of variables."""
        for port in self.ports:
            self.start("web", "--port", str(port))
        for variables in workers:
            self.start("worker", **variables)
        for number in range(len(self.ports)):
            wait_until("it is ready", lambda n=number: answers(f"{self.url_of(n)}/readyz"))  # type: ignore[misc]

    def act(self, name: str, **values: object) -> Any:  # noqa: ANN401 - JSON.
        response = self.post(name, **values)
        assert response.status_code == 200, response.text
        return response.json()["result"]

    def post(self, name: str, **values: object) -> httpx.Response:
        return httpx.post(
            f"{self.url}/api/rest/actions/{name}",
            json=values,
            headers={"Authorization": f"Bearer {self.key}"},
            timeout=60,
        )

    def publish(self, token: str, folder: Path, *options: str) -> "subprocess.Popen[str]":
        """Start the client; the client waits for the verdict."""
        command = [*PROGRAM, "publish", str(folder), "--branch", "main", *options]
        return subprocess.Popen(
            [*command, "--commit", "c0ffee1c0ffee1c0ffee1c0ffee1c0ffee1c0ffe"],
            env=environment(VISUAL_REVIEW_URL=self.url, UI_REVIEW_TOKEN=token),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=folder,
            text=True,
        )

    @contextmanager
    def browser(self, number: int = 0) -> Iterator[httpx.Client]:
        """Yield a client signed in as the owner by the form."""
        address = self.url_of(number)
        with httpx.Client(base_url=address, follow_redirects=True, timeout=60) as client:
            page = client.get("/sign-in").text
            found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
            assert found is not None, page
            form = {"csrfmiddlewaretoken": found[1], "login": OWNER[0], "password": OWNER[1]}
            signed_in = client.post("/sign-in", data=form, headers={"Origin": address})
            assert "/sign-in" not in str(signed_in.url), signed_in.text
            yield client

    def logs(self) -> str:
        return "\n".join(process.written for process in self.processes)


def exit_code(client: "subprocess.Popen[str]") -> int:
    output, _ = client.communicate(timeout=CLIENT_SECONDS)
    print(output)  # noqa: T201 - pytest shows it after a failure.
    return client.returncode


@contextmanager
def split_service(
    folder: Path, database_url: str, webs: int = 1, **variables: str
) -> Iterator[SplitService]:
    """End all processes with the block; each must then exit with 0, unless ended before."""
    ports = [free_port() for _ in range(webs)]
    blobs = folder / "blobs"
    env = environment(
        VISUAL_REVIEW_DATABASE_URL=database_url,
        VISUAL_REVIEW_STORAGE_URL=blobs.as_uri(),
        VISUAL_REVIEW_SECRET_KEY=SECRET_KEY,
        VISUAL_REVIEW_PUBLIC_URL=f"http://127.0.0.1:{ports[0]}",
        VISUAL_REVIEW_DISK_RESERVE_MB="0",
        **variables,
    )
    service = SplitService(folder, env, ports)
    try:
        yield service
    finally:
        codes = [process.end() for process in service.processes]
        print(service.logs())  # noqa: T201 - As above.
    assert set(codes) == {0}
