"""Clients made by generators from the document review a repository by all 20 actions."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import jsonschema_rs
import pytest
from scripts.demo_server import DemoServer

from tests.support.api_clients.generated import GENERATORS, WorkflowProgram
from tests.support.case import Case
from tests.support.ci.job import COMMIT, CiJob, paint, run
from tests.support.ci.reports import attachment, playwright, result, spec
from tests.support.videos import playwright_video
from visual_review.actions.registry import published_actions


@dataclass(frozen=True)
class RecordedCall:
    """One call over the wire; ``sent`` and ``received`` are JSON."""

    action: str
    sent: Any
    status: int
    received: Any


@dataclass
class RecordingProxy:
    url: str
    calls: list[RecordedCall] = field(default_factory=list)

    def properties_sent(self) -> dict[str, list[list[str]]]:
        """Return the properties of each call's body, by action, in the order of the calls."""
        found: dict[str, list[list[str]]] = {}
        for call in self.calls:
            found.setdefault(call.action, []).append(sorted(call.sent))
        return found


@contextmanager
def recording_proxy(service: str) -> Iterator[RecordingProxy]:
    """Forward POST requests to the service until the block ends."""
    with httpx.Client(base_url=service, timeout=60) as client:
        proxy = RecordingProxy("")

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                kept = ("Authorization", "Content-Type")
                headers = {name: self.headers[name] for name in kept}
                response = client.post(self.path, content=body, headers=headers)
                action = self.path.rpartition("/")[2]
                proxy.calls.append(
                    RecordedCall(action, json.loads(body), response.status_code, response.json())
                )
                self.send_response(response.status_code)
                self.send_header("Content-Type", response.headers["Content-Type"])
                self.send_header("Content-Length", str(len(response.content)))
                self.end_headers()
                self.wfile.write(response.content)

            def log_message(self, *_arguments: object) -> None:
                """Write nothing: the calls are recorded."""

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            proxy.url = f"http://127.0.0.1:{server.server_port}"
            thread = Thread(target=server.serve_forever)
            thread.start()
            try:
                yield proxy
            finally:
                server.shutdown()
                thread.join()


BRANCH = ("--branch", "trunk")
STORIES = ("button--primary--light-desktop", "button--primary--dark-desktop")
CARD = "card--plain--light-desktop"
# Above all differences taken for noise.
STEP = 60


@dataclass
class CiMachine:
    """Publishes three new images each time, or uploads one recording."""

    server: DemoServer
    folder: Path
    published: int = field(default=0, init=False)

    def do(self, job: str, token: str) -> None:
        ci = CiJob(self.server, "", token, self.folder)
        if job == "record":
            self._record(ci)
        else:
            self._publish(ci)

    def _publish(self, ci: CiJob) -> None:
        images = self.folder / "images"
        for number, name in enumerate((*STORIES, CARD)):
            paint(images, name, 10 * number + STEP * self.published)
        self.published += 1
        done = ci.publish(images, *BRANCH)
        assert done.returncode == 1, done.stdout + done.stderr

    def _record(self, ci: CiJob) -> None:
        folder = self.folder / "results"
        folder.mkdir()
        (folder / "video.webm").write_bytes(playwright_video())
        report = playwright(
            folder, spec("signs in", result(attachments=[attachment(folder / "video.webm")]))
        )
        flags = (*BRANCH, "--commit", COMMIT, "--report", str(report), "--wait", "--timeout", "90")
        done = run(["recordings", str(folder), *flags], ci.environment())
        assert done.returncode == 0, done.stdout + done.stderr


def run_workflow(program: WorkflowProgram, url: str, key: str, ci: CiMachine) -> None:
    """Run the program to its end, and carry out CI's tasks for the program."""
    errors = program.folder / "errors.txt"
    with (
        errors.open("w") as stderr,
        subprocess.Popen(
            [*program.command, url, key],
            cwd=program.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            for line in process.stdout:
                ci.do(**json.loads(line))
                process.stdin.write("done\n")
                process.stdin.flush()
        finally:
            # A program still waiting for its line would wait for ever.
            process.stdin.close()
    assert process.returncode == 0, errors.read_text()[-8000:]


# The fields set by the workflow, call by call: nothing else may be sent.
SENT = {
    "list_host_repos": [[]],
    "connect_repo": [["fullName"], ["fullName"]],
    "rotate_repo_token": [["repoId"]],
    "list_repos": [[]],
    "set_org_capture": [["themes"]],
    "set_repo_capture": [["devices", "repoId"]],
    "list_builds": [["repoId"]] * 4,
    "get_build": [["buildId"]] * 3,
    "approve_build": [["buildId"]],
    "review_screenshot": [["comment", "screenshotId", "state"]],
    "approve_story_screenshots": [["buildId", "storyId"]],
    "approve_all_screenshots": [["buildId"]],
    "set_dynamic_regions": [["device", "regions", "repoId", "storyId", "theme"]],
    "reject_build": [["buildId"]],
    "enable_recordings": [["repoId"]],
    "list_recordings": [["repoId"]],
    "get_recording": [["recordingId"]],
    "delete_recording": [["recordingId"]],
    "disable_recordings": [["repoId"]],
    "remove_repo": [["repoId"]],
}


@pytest.mark.deep
@pytest.mark.usefixtures("host_repository")
@pytest.mark.parametrize("name", GENERATORS)
def test_a_generated_client_uses_every_action(
    name: str, server: DemoServer, document: Path, tmp_path: Path, case: Case
) -> None:
    folder, machine = tmp_path / "client", tmp_path / "ci"
    folder.mkdir()
    machine.mkdir()
    program = GENERATORS[name](document, folder)
    with recording_proxy(server.url) as proxy:
        run_workflow(program, proxy.url, server.key, CiMachine(server, machine))
    assert SENT.keys() == {action.name for action in published_actions()}
    assert proxy.properties_sent() == SENT
    for number, call in enumerate(proxy.calls):
        with case(f"{number}: {call.action}"):
            check_response(json.loads(document.read_text()), call)


def check_response(document: dict[str, object], call: RecordedCall) -> None:
    """Check that the response fits the document, formats included."""
    kind = "application~1json" if call.status == 200 else "application~1problem+json"
    path = f"#/paths/~1api~1rest~1actions~1{call.action}/post/responses/{call.status}"
    if call.status != 200:
        path = "#/components/responses/" + {400: "BadRequest", 404: "NotFound"}[call.status]
    schema = {"$ref": f"{path}/content/{kind}/schema", "components": document["components"]}
    schema["paths"] = document["paths"]
    validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
    validator.validate(call.received)
