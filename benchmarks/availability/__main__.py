"""``make load``: attacks on the availability of the real program, next to honest clients.

Prints what the honest clients saw. With ``CHECK=1`` the exit code is 1 if any of them was hurt.
"""

import argparse
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from urllib.parse import urlsplit

import httpx
from scripts.demo_folder import DemoError, demo_folder
from scripts.demo_server import DemoServer, running_server

from benchmarks.availability.attackers import running
from benchmarks.availability.cases import CASES, Case, Target
from benchmarks.availability.honest import (
    SignInError,
    browsing,
    publish,
    readiness,
    sign_in,
)
from benchmarks.availability.images import write_screenshots
from benchmarks.availability.results import HEAD, Outcome
from benchmarks.service import connect_to
from visual_review.config.boot import load

SCREENSHOTS = 50
# The attack is in full progress before anything is measured.
LEAD_SECONDS = 3.0
# What a CI job may take before it is stopped.
JOB_SECONDS = 240.0
WORKER = "worker"
SCREENSHOTS_OF_OTHERS = int(os.environ.get("SCREENSHOTS", "3000"))


@dataclass(frozen=True)
class Stage:
    """A service with a published build, and what honest clients need."""

    server: DemoServer
    token: str
    screenshots: Path
    target: Target
    pages: list[str]
    browser: httpx.Client


@contextmanager
def prepared(folder: Path) -> Iterator[Stage]:
    with running_server(folder, 0) as server:
        connected = server.act("connect_repo", fullName="acme/web")
        screenshots = write_screenshots(folder / "screenshots", SCREENSHOTS, seed=1)
        done = publish(screenshots, server.url, connected["projectToken"], "main", JOB_SECONDS)
        if not done.worked:
            raise DemoError(f"The first build failed: {done.output}")
        repository = connected["repo"]["id"]
        build = server.act("list_builds", repoId=repository)["builds"][0]["id"]
        shots = server.act("get_build", buildId=build)["build"]["screenshots"]
        image = urlsplit(next(shot["afterUrl"] for shot in shots if shot.get("afterUrl")))
        parts = urlsplit(server.url)
        pages = ["/repositories", f"/builds/{build}", "/sign-in"]
        with closing(sign_in(server.url, server.email, server.password)) as browser:
            target = Target(
                (parts.hostname or "", parts.port or 0),
                image=f"{image.path}?{image.query}",
                own_image=f"/repositories/{repository}/images/{image.path.rpartition('/')[2]}",
                events=f"/builds/{build}/events",
                cookies="; ".join(f"{name}={value}" for name, value in browser.cookies.items()),
            )
            yield Stage(server, connected["projectToken"], screenshots, target, pages, browser)


def measure(stage: Stage, case: Case, seconds: float, usual: float) -> Outcome:
    """Attack for ``seconds``, and as long as the CI job takes."""
    with ExitStack() as attacks:
        for attack in case.attacks(stage.target):
            attacks.enter_context(running(attack))
        time.sleep(LEAD_SECONDS)
        began = time.monotonic()
        with browsing(stage.browser, stage.pages) as visit:
            branch = case.name.replace(" ", "-").replace(",", "")
            job = publish(stage.screenshots, stage.server.url, stage.token, branch, JOB_SECONDS)
            time.sleep(max(0.0, seconds - (time.monotonic() - began)))
        say(f"{case.name}: /readyz says {dict(readiness(stage.server.url))}")
    if not job.worked:
        say(job.output)
    failure = "" if job.worked else f"exit code {job.code}"
    return Outcome(
        case.name, visit.seconds, visit.failures, job.seconds, failure, usual or job.seconds
    )


def _measure_worker(folder: Path, stage: Stage) -> list[Outcome]:
    """Give the worker much to do for other teams, in the database of the running service."""
    connect_to(folder / "data")
    # By name, because models can be imported only when the database is configured.
    measure_worker = load("benchmarks.availability.worker_cases.measure_worker")
    rows: list[Outcome] = measure_worker(stage.browser, stage.pages, SCREENSHOTS_OF_OTHERS)
    return rows


def say(line: str) -> None:
    print(f"load: {line}", flush=True)


def run(seconds: float, wanted: str) -> list[Outcome]:
    outcomes: list[Outcome] = []
    chosen: Sequence[Case] = [case for case in CASES if wanted in case.name or case is CASES[0]]
    with demo_folder("load") as folder:
        try:
            with prepared(folder) as stage:
                for case in chosen:
                    usual = outcomes[0].build_seconds if outcomes else 0.0
                    outcomes.append(measure(stage, case, seconds, usual))
                    print(HEAD, outcomes[-1], sep="\n", flush=True)
                if wanted in WORKER:
                    outcomes += _measure_worker(folder, stage)
        finally:
            # The server's log stays.
            rmtree(folder / "data", ignore_errors=True)
    return outcomes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="per case")
    parser.add_argument("--case", default="", help="only cases with this in their name")
    options = parser.parse_args()
    # A canceled CI job must stop its service, too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        outcomes = run(options.seconds, options.case)
    except (DemoError, SignInError) as error:
        print(f"load: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    print(HEAD, *outcomes, sep="\n")
    hurt = [f"{row.case}: {'; '.join(row.complaints)}" for row in outcomes if row.complaints]
    if hurt and os.environ.get("CHECK") == "1":
        print("load: honest clients were hurt:", *hurt, sep="\n", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
