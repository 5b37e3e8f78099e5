"""What CI does while a client runs its workflow: the project's own command, with the token."""

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from scripts.demo_server import DemoServer

from tests.support.api_clients.generated import WorkflowProgram
from tests.support.ci.job import COMMIT, CiJob, paint, run
from tests.support.ci.reports import attachment, playwright, result, spec
from tests.support.videos import playwright_video

BRANCH = ("--branch", "trunk")
STORIES = ("button--primary--light-desktop", "button--primary--dark-desktop")
CARD = "card--plain--light-desktop"
# Above all differences that are taken for noise.
STEP = 60


@dataclass
class CiMachine:
    """Publishes three images, which differ each time, or uploads one recording."""

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
    """Run the program to its end, and do what it asks of CI."""
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
            # A program that waits for its line would wait for ever.
            process.stdin.close()
    assert process.returncode == 0, errors.read_text()[-8000:]
