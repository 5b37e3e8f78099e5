"""The demo's pull request at the local Git provider, and a check of the service's messages."""

import time
from typing import Any, Final

from scripts.demo_folder import DemoError
from scripts.demo_pages import connect_gitea, signed_in
from scripts.demo_publishing import CHANGED, Push
from scripts.demo_server import EMAIL, DemoServer
from scripts.local_host.running import LocalHost

DELIVERY_SECONDS: Final = 60
TOKEN: Final = "a-token-of-the-demo"  # noqa: S105 - The local Git provider accepts any.
COMMENT: Final = "Was this meant to change? @harbour/design would like to know why."
STATUSES: Final = ("visual-review", "visual-review/default")
# The hidden markers of our comments.
SUMMARY: Final = "<!-- visual-review:comment:"
REJECTION: Final = "<!-- visual-review:rejection:"


class DemoPullRequest:
    """The branch of the changed example, at the organization's Git provider."""

    def __init__(self, host: LocalHost, server: DemoServer, repository: str) -> None:
        self._host = host
        self._server = server
        self._repository = repository
        self._number = 0
        with signed_in(server.url, EMAIL, server.password) as pages:
            webhook, secret = connect_gitea(pages, host.url, TOKEN)
        host.point_webhooks(webhook, secret)
        self.add_repository(repository)

    def add_repository(self, full_name: str) -> None:
        """Create a repository at the Git provider."""
        self._host.do("add_repository", full_name=full_name)

    @property
    def page(self) -> str:
        return self._host.page_of(self._repository, self._number)

    def open(self) -> None:
        opened = self._host.do(
            "open_pull_request",
            full_name=self._repository,
            head_branch=CHANGED.branch,
            head_commit=CHANGED.commit,
            title=CHANGED.message,
        )
        self._number = opened["number"]

    def push(self, pushed: Push) -> None:
        self._host.do("push", full_name=self._repository, number=self._number, commit=pushed.commit)

    def reject_one(self, build: dict[str, Any]) -> None:
        """Reject the first changed screenshot, with a comment."""
        changed = next(shot for shot in build["screenshots"] if shot["diffState"] == "changed")
        self._server.act(
            "review_screenshot", screenshotId=changed["id"], state="rejected", comment=COMMENT
        )

    def expect(self, push: Push, state: str, rejections: int) -> None:
        """Wait until both statuses of the commit are ``state``, and there is one comment.

        Raises DemoError without them in time, or when anything was posted twice.
        """
        wanted = (dict.fromkeys(STATUSES, state), 1, rejections)
        deadline = time.monotonic() + DELIVERY_SECONDS
        while (found := self._found(push)) != wanted:
            if time.monotonic() > deadline:
                raise DemoError(
                    "The pull request should have these statuses and numbers of comments and "
                    f"rejections: {wanted}. It has {found}."
                )
            time.sleep(0.2)
        if rejections and COMMENT not in self._comments(REJECTION)[0]:
            raise DemoError("The comment of the rejection does not contain the reviewer's comment.")

    def _found(self, push: Push) -> tuple[dict[str, str], int, int]:
        return self._statuses(push), len(self._comments(SUMMARY)), len(self._comments(REJECTION))

    def _statuses(self, push: Push) -> dict[str, str]:
        posted = self._host.do("all_statuses_of", full_name=self._repository, commit=push.commit)
        return {status["context"]: status["state"] for status in posted}

    def _comments(self, mark: str) -> list[str]:
        written = self._host.do("comments_of", full_name=self._repository, number=self._number)
        return [comment["body"] for comment in written if mark in comment["body"]]
