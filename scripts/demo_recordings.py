"""Three recordings of the example's browser tests, uploaded by ``visual-review recordings``."""

import subprocess
import tempfile
from pathlib import Path
from typing import Any, Final

from scripts.demo_folder import DemoError
from scripts.demo_publishing import CHANGED, PUBLISH_SECONDS, expect_exit
from scripts.demo_server import PROGRAM, DemoServer, clean_environment
from scripts.demo_tests import run_tests

UPLOADED: Final = 0
EXPECTED: Final = {
    "refuses a wrong password": "passed",
    "closes by Escape": "failed",
    "opens each item": "flaky",
}


def add_recordings(server: DemoServer, repository_id: str, token: str) -> None:
    """Enable recordings, record the tests of the pull request's state, and upload the videos."""
    server.act("enable_recordings", repoId=repository_id)
    with tempfile.TemporaryDirectory(prefix="visual-review-demo-") as name:
        folder = Path(name)
        report = run_tests(CHANGED.storybook, folder)
        expect_exit(_upload(folder, report, server.url, token), UPLOADED, "Uploading recordings")


def check_recordings(server: DemoServer, repository_id: str) -> None:
    """Check that all three recordings are ready, with their outcomes and stories."""
    listed = server.act("list_recordings", repoId=repository_id)["recordings"]
    found = [server.act("get_recording", recordingId=each["id"])["recording"] for each in listed]
    wrong = [f"{each['title']} is {each['status']}" for each in found if each["status"] != "ready"]
    outcomes = {each["test"]["title"]: each["outcome"] for each in found}
    if outcomes != EXPECTED:
        wrong.append(f"the outcomes are {outcomes} instead of {EXPECTED}")
    wrong += [f"{each['title']} names no story" for each in found if not _stories(each)]
    if wrong:
        raise DemoError("The recordings are wrong:\n  " + "\n  ".join(wrong))


def _stories(recording: dict[str, Any]) -> list[str]:
    return [step["storyId"] for step in recording["steps"] if step["storyId"]]


def _upload(folder: Path, report: Path, url: str, token: str) -> int:
    command = [
        *(str(PROGRAM), "recordings", str(folder), "--report", str(report), "--wait"),
        *("--branch", CHANGED.branch, "--commit", CHANGED.commit, "--pull-request", "1"),
    ]
    environment = clean_environment({"VISUAL_REVIEW_URL": url, "UI_REVIEW_TOKEN": token})
    try:
        done = subprocess.run(command, env=environment, check=False, timeout=PUBLISH_SECONDS)
    except subprocess.TimeoutExpired:
        raise DemoError(f"Uploading took more than {PUBLISH_SECONDS} seconds.") from None
    return done.returncode
