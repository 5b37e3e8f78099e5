"""A pull request at the local host and its builds in the service that notifies the host."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from scripts.demo_pages import Pages
from scripts.local_host.running import LocalHost

from tests.support.ci.job import COMMIT, CiJob, paint
from tests.support.servers.service import wait_until
from tests.support.servers.worker import Worker
from visual_review.builds.notifying.comments import HEADINGS

SHADES = count(1)
TOKEN = "a-token"
BRANCH = "feature/blue"
RETRY_FORM = re.compile(r'action="(/repositories/[^"/]+/outbox/[^"]+)"')
# The required text of the comment at the end.
COMMENTS = {"pending": HEADINGS["due"], "success": "Visual Review: approved"}
STORY = "button--primary--light-desktop"


@dataclass
class HostedPullRequest:
    """One pull request of the repository ``name``; its images have a ``size`` of their own."""

    host: LocalHost
    pages: Pages
    job: CiJob
    worker: Worker
    name: str
    size: int
    images: Path = field(init=False)
    number: int = 0
    commit: str = ""

    def publish_main(self) -> None:
        """Approve a build of main, and wait until the provider is notified."""
        self.publish("main", 1)
        self.job.approve_newest()
        self.wait_for(
            "main is approved", lambda: set(self.statuses(COMMIT).values()) == {"success"}
        )

    def open(self) -> None:
        """Open the pull request with its own commit, without a build."""
        self.commit = f"{next(SHADES):040x}"
        opened = self.host.do(
            "open_pull_request", full_name=self.name, head_branch=BRANCH, head_commit=self.commit
        )
        self.number = opened["number"]

    def publish_change(self) -> dict[str, Any]:
        """Publish one changed story for the pull request; returns the build."""
        flags = ("--commit", self.commit, "--pull-request", str(self.number))
        self.publish(BRANCH, 100 + next(SHADES), *flags, "--base-branch", "main")
        return self.job.builds()[0]

    def publish(self, branch: str, shade: int, *flags: str) -> None:
        """Publish a build that needs a review."""
        self.images = self.job.cwd / f"images-{next(SHADES)}"
        # A size unique to the repository: all repositories belong to one organization.
        paint(self.images, STORY, shade, (40 + self.size, 30))
        assert self.publish_again(branch, *flags) == 1

    def publish_again(self, branch: str, *flags: str) -> int:
        """Publish the same images once more; returns the exit code."""
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
        """Return context -> state, the newest of each."""
        commit = commit or self.commit
        statuses = self.host.do("all_statuses_of", full_name=self.name, commit=commit)
        return {status["context"]: status["state"] for status in statuses}

    def comments(self, kind: str = "visual-review:") -> list[str]:
        written = self.host.do("comments_of", full_name=self.name, number=self.number)
        return [comment["body"] for comment in written if kind in comment["body"]]

    def wait_for(self, what: str, happened: Callable[[], object]) -> None:
        try:
            wait_until(what, happened)
        except AssertionError as failure:
            comments = self.comments() if self.number else []
            state = f"statuses {self.statuses()}, comments {comments}"
            raise AssertionError(f"{failure}; {state}") from failure

    def is_notified_once(self, state: str, *rejections: str) -> bool:
        """Both statuses are ``state``; there is one comment, and one with each rejection's text."""
        if self.statuses() != {"visual-review": state, "visual-review/default": state}:
            return False
        written = self.comments()
        comments = [body for body in written if "visual-review:comment:" in body]
        rejecting = [body for body in written if "visual-review:rejection:" in body]
        return (
            len(comments) == 1
            and COMMENTS[state] in comments[0]
            and len(rejecting) == len(rejections)
            and all(sum(text in body for body in rejecting) == 1 for text in rejections)
        )

    @property
    def outbox(self) -> str:
        return f"/repositories/{self.job.repository}/outbox"

    def retry_forms(self) -> list[str]:
        """Return the URLs of the forms for sending failed notifications again."""
        return RETRY_FORM.findall(self.pages.text(f"{self.outbox}?state=failed"))
