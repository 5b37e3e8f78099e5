"""A repository at the local host and in the service, and what the one tells the other."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import psutil
from scripts.demo_pages import Pages
from scripts.local_host.running import LocalHost

from tests.journeys.publish.ci_job import CiJob, paint
from tests.servers.service import wait_until

SHADES = count(1)
TOKEN = "a-token"
BRANCH = "feature/blue"
SEND_AGAIN = re.compile(r'action="(/repositories/[^"/]+/outbox/[^"]+)"')
# What the comment must have come to say.
SAID = {"pending": "review needed", "success": "Visual Review: approved"}
STORY = "button--primary--light-desktop"


@dataclass
class Told:
    host: LocalHost
    pages: Pages
    job: CiJob
    name: str
    place: int
    images: Path = field(init=False)
    number: int = 0
    commit: str = ""

    def publish_main(self) -> None:
        self.publish("main", 1)
        self.job.approve_newest()

    def open_pull_request(self) -> None:
        """With a commit of its own, and nothing published yet."""
        self.commit = f"{next(SHADES):040x}"
        opened = self.host.do(
            "open_pull_request", full_name=self.name, head_branch=BRANCH, head_commit=self.commit
        )
        self.number = opened["number"]

    def publish_pull_request(self) -> dict[str, Any]:
        """One changed story; returns the build."""
        flags = ("--commit", self.commit, "--pull-request", str(self.number))
        self.publish(BRANCH, 100 + next(SHADES), *flags, "--base-branch", "main")
        return self.job.builds()[0]

    def publish(self, branch: str, shade: int, *flags: str) -> None:
        """A build that needs a review."""
        self.images = self.job.cwd / f"images-{next(SHADES)}"
        # Of a size no other repository has: they belong to one organization.
        paint(self.images, STORY, shade, (40 + self.place, 30))
        assert self.publish_again(branch, *flags) == 1

    def publish_again(self, branch: str, *flags: str) -> int:
        """The same images once more; returns the exit code."""
        done = self.job.publish(self.images, "--branch", branch, *flags)
        assert done.returncode < 2, done.stderr
        return done.returncode

    def reject(self, build: dict[str, Any], comment: str) -> None:
        act = self.job.server.act
        full = act("get_build", buildId=build["id"])["build"]
        shot = full["screenshots"][0]["id"]
        act("review_screenshot", screenshotId=shot, state="rejected", comment=comment)

    def approve(self, build: dict[str, Any]) -> None:
        self.job.server.act("approve_build", buildId=build["id"])

    def statuses(self, commit: str = "") -> dict[str, str]:
        """Context -> state, the newest of each."""
        set_so_far = self.host.do(
            "all_statuses_of", full_name=self.name, commit=commit or self.commit
        )
        return {status["context"]: status["state"] for status in set_so_far}

    def comments(self, kind: str = "visual-review:") -> list[str]:
        written = self.host.do("comments_of", full_name=self.name, number=self.number)
        return [comment["body"] for comment in written if kind in comment["body"]]

    def wait_for(self, what: str, happened: Callable[[], object]) -> None:
        try:
            wait_until(what, happened)
        except AssertionError as failure:
            state = f"statuses {self.statuses()}, comments {self.comments()}"
            raise AssertionError(f"{failure}; {state}") from failure

    def is_right_and_single(self, state: str, *words: str) -> bool:
        """Both statuses say ``state``, and there is one comment, and one with each of ``words``."""
        comments = self.comments("visual-review:comment:")
        rejections = self.comments("visual-review:rejection:")
        return (
            self.statuses() == {"visual-review": state, "visual-review/default": state}
            and len(comments) == 1
            and SAID[state] in comments[0]
            and len(rejections) == len(words)
            and all(sum(word in one for one in rejections) == 1 for word in words)
        )

    @property
    def outbox(self) -> str:
        return f"/repositories/{self.job.repository}/outbox"

    def failed(self) -> list[str]:
        """Where the forms lead that send again what failed."""
        return SEND_AGAIN.findall(self.pages.text(f"{self.outbox}?state=failed"))

    def workers(self) -> list[psutil.Process]:
        """One, but for the moment between its end and the start of the next."""
        program = psutil.Process(self.job.server.process.pid)
        return [child for child in program.children() if "worker" in _words(child)]


def _words(process: psutil.Process) -> list[str]:
    try:
        return list(process.cmdline())
    except psutil.Error:
        # It ended while it was looked at.
        return []
