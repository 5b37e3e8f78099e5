"""Demonstrate Visual Review on the example: ``make demo``, or ``make demo-check`` unattended.

A server on a fresh data folder gets the example as the first build of main, approved over REST, and
then the changed example as a pull request of a local Git provider, where statuses, one comment and
the comment of a rejection arrive; three recordings show a run of the example's tests. The check
also compares every story and variant with EXPECTED.json, approves, publishes again and asserts that
nothing is left to review.
"""

import argparse
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scripts.demo_expected import check_carried_over, check_changed, check_first, failing_story
from scripts.demo_folder import DemoError, demo_folder
from scripts.demo_publishing import (
    CHANGED,
    FIRST,
    NOTHING_TO_REVIEW,
    REVIEW_NEEDED,
    Push,
    expect_exit,
    publish,
    push_without_story,
)
from scripts.demo_pull_request import DemoPullRequest
from scripts.demo_recordings import add_recordings, check_recordings
from scripts.demo_server import EMAIL, DemoServer, running_server
from scripts.local_host.running import running_local_host

PREFERRED_HOST_PORT = 8081
REPOSITORY = "harbour/design-system"


def say(line: str) -> None:
    print(f"demo: {line}", flush=True)


class Demo:
    """The steps, on one repository of one server."""

    def __init__(self, server: DemoServer) -> None:
        self._server = server
        connected = server.act("connect_repo", fullName=REPOSITORY)
        self._repository: str = connected["repo"]["id"]
        self._token: str = connected["projectToken"]

    def publish(self, push: Push, expected_exit: int) -> dict[str, Any]:
        """Publish and return the full build from ``get_build``."""
        say(f"publishing {push.branch}: {push.message}")
        code = publish(push, self._server.url, self._token)
        expect_exit(code, expected_exit, f"Publishing {push.branch}")
        newest = self._server.act("list_builds", repoId=self._repository, limit=1)["builds"][0]
        build: dict[str, Any] = self._server.act("get_build", buildId=newest["id"])["build"]
        return build

    @property
    def recordings_url(self) -> str:
        return f"{self._server.url}/repositories/{self._repository}/recordings"

    def record(self) -> None:
        say("recording three tests of the pull request's state")
        add_recordings(self._server, self._repository, self._token)

    def check_recorded(self) -> None:
        check_recordings(self._server, self._repository)
        say("three recordings can be watched: one passed, one failed, one flaky")

    def approve(self, build: dict[str, Any]) -> None:
        self._server.act("approve_build", buildId=build["id"])
        say(f"approved build #{build['number']} over REST")


@contextmanager
def start_services(folder: Path) -> Iterator[tuple[DemoServer, DemoPullRequest]]:
    """Run a server connected to a Git provider, both on this machine."""
    with running_local_host(PREFERRED_HOST_PORT) as host:
        settings = {"VISUAL_REVIEW_SOURCE_HOSTS": host.url}
        with running_server(folder, settings=settings) as server:
            say(f"the server runs at {server.url}, a Git provider at {host.url}")
            yield server, DemoPullRequest(host, server, REPOSITORY)


def check(folder: Path) -> None:
    with start_services(folder) as (server, pull_request):
        demo = Demo(server)
        first = demo.publish(FIRST, REVIEW_NEEDED)
        check_first(first)
        demo.approve(first)
        pull_request.open()
        changed = demo.publish(CHANGED, REVIEW_NEEDED)
        check_changed(changed)
        say("every story and variant is as EXPECTED.json says")
        demo.record()
        demo.check_recorded()
        # Some screenshots of the example fail, so a review alone does not make the status pending.
        pull_request.expect(CHANGED, "failure", rejections=0)
        pull_request.reject_one(changed)
        pull_request.expect(CHANGED, "failure", rejections=1)
        demo.approve(changed)
        pull_request.expect(CHANGED, "success", rejections=1)
        say("the pull request has its statuses, one comment and the rejection's comment")
        again = push_without_story(folder, failing_story())
        pull_request.push(again)
        check_carried_over(demo.publish(again, NOTHING_TO_REVIEW))
        pull_request.expect(again, "success", rejections=1)
        say("published again: nothing is left to review, and nothing was sent twice")


def prepare_review(demo: Demo, pull_request: DemoPullRequest) -> dict[str, Any]:
    """Publish both states of the example; return the build of the pull request."""
    demo.approve(demo.publish(FIRST, REVIEW_NEEDED))
    pull_request.open()
    build = demo.publish(CHANGED, REVIEW_NEEDED)
    pull_request.reject_one(build)
    pull_request.expect(CHANGED, "failure", rejections=1)
    demo.record()
    return build


def show(folder: Path) -> None:
    with start_services(folder) as (server, pull_request):
        demo = Demo(server)
        build = prepare_review(demo, pull_request)
        counts = build["counts"]
        say(
            f"pull request #1: {counts['changed']} screenshots changed, {counts['new']} are new, "
            f"{counts['removed']} were removed, {counts['failed']} failed"
        )
        say(f"build:        {build['url']}")
        say(f"recordings:   {demo.recordings_url}")
        say(f"pull request: {pull_request.page}")
        say(f"Sign in as {EMAIL} with the password {server.password}")
        say("Press Ctrl-C to stop the server. The next demo starts with an empty folder.")
        try:
            code = server.process.wait()
        except KeyboardInterrupt:
            say("stopping")
            return
        raise DemoError(f"The server exited with {code}. See {folder}/server.log.")


def main() -> int:
    parser = argparse.ArgumentParser(prog="demo", description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="run unattended, and check the results"
    )
    options = parser.parse_args()
    # A canceled CI job must stop its server, too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    start = time.monotonic()
    try:
        with demo_folder("check" if options.check else "show") as folder:
            check(folder) if options.check else show(folder)
    except DemoError as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    if options.check:
        say(f"all checks passed in {time.monotonic() - start:.0f} seconds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
