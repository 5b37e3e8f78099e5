"""``make bench-check``: duration of a check of the example, with calls and bytes."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from typing import Final

import httpx
from scripts.demo_folder import DemoError, demo_folder
from scripts.demo_server import PROGRAM, DemoServer, clean_environment, running_server
from tests.support.checked_storybooks import CheckedStorybook, edit_style
from tests.support.ci.job import connect_repository
from tests.support.rebuilt_storybooks import copy_example

NOTHING, ONE, TWENTY = "nothing changed", "one story", "20 stories"
# Seconds of elapsed time, from the start of the program to the end.
BARS: Final = {NOTHING: 3.0, ONE: 5.0, TWENTY: 12.0}
# Style sheets with components in so many stories, and a rule for changing the components.
EDITS: Final = {
    NOTHING: (),
    ONE: ("calendar-*.css",),
    TWENTY: (
        "button-*.css",
        "header-*.css",
        "card-*.css",
        "badge-*.css",
        "alert-*.css",
        "stat-*.css",
    ),
}
RULE: Final = "button,header,[class*=card],[class*=badge],[class*=calendar]{outline:2px solid red}"
CAPTURED: Final = re.compile(r"(\d+) of \d+ stories changed")


@dataclass
class Traffic:
    """Requests through the proxy, and the bytes of the responses."""

    calls: int = 0
    size: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, size: int) -> None:
        with self.lock:
            self.calls += 1
            self.size += size


@dataclass(frozen=True)
class Run:
    seconds: float
    calls: int
    size: int
    captured: int


@contextmanager
def counting_proxy(traffic: Traffic) -> Iterator[str]:
    """Run an HTTP proxy for counting requests; yield its URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            headers = {name: value for name, value in self.headers.items() if name != "Host"}
            with httpx.stream("GET", self.path, headers=headers, trust_env=False) as response:
                body = b"".join(response.iter_raw())
            traffic.add(len(body))
            self.send_response(response.status_code)
            for name in ("content-type", "content-encoding"):
                if name in response.headers:
                    self.send_header(name, response.headers[name])
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def approve_example(server: DemoServer, folder: Path) -> CheckedStorybook:
    """Build the example, publish one variant, and approve the build."""
    job = connect_repository(server, folder)
    server.act("set_repo_capture", repoId=job.repository, themes=["light"], devices=["desktop"])
    project = copy_example(folder)
    (project.root / "src" / "components" / "broken.stories.js").unlink()
    project.build()
    approved = CheckedStorybook(job, project.built, project.root)
    approved.publish("main")
    job.approve_newest()
    return approved


def observe(storybook: CheckedStorybook, traffic: Traffic, proxy: str) -> Run:
    """Run the command once, as a person does, with an empty cache. Raises DemoError."""
    shutil.rmtree(storybook.cache, ignore_errors=True)
    traffic.calls = traffic.size = 0
    command = [PROGRAM, "check", storybook.built, "--repository", storybook.job.name]
    command += ["--branch", "feature", "--project-root", storybook.project]
    began = time.monotonic()
    done = subprocess.run(
        [*map(str, command)],
        env=clean_environment(storybook.environment(HTTP_PROXY=proxy)),
        cwd=storybook.project,
        capture_output=True,
        text=True,
        check=False,
    )
    seconds = time.monotonic() - began
    if done.returncode not in {0, 1}:
        raise DemoError(f"The check failed: {done.stderr}")
    found = CAPTURED.search(done.stderr)
    return Run(seconds, traffic.calls, traffic.size, int(found[1]) if found else 0)


def measure(folder: Path, rounds: int) -> dict[str, list[Run]]:
    """Check the state after each edit, in turns, ``rounds`` times."""
    runs: dict[str, list[Run]] = {name: [] for name in EDITS}
    traffic = Traffic()
    with running_server(folder, preferred_port=0) as server, counting_proxy(traffic) as proxy:
        approved = approve_example(server, folder / "project")
        edited = {}
        for name, patterns in EDITS.items():
            edited[name] = approved.copy(folder / name.replace(" ", "-") / "storybook-static")
            for pattern in patterns:
                edit_style(edited[name].built, pattern, RULE)
        for _ in range(rounds):
            for name, storybook in edited.items():
                runs[name].append(observe(storybook, traffic, proxy))
                print(f"bench-check: {name}: {runs[name][-1].seconds:.1f} s", flush=True)
    return runs


def find_missed(runs: dict[str, list[Run]]) -> list[str]:
    """Print the medians; return the missed bars."""
    missed = []
    for name, each in runs.items():
        seconds, last = median(run.seconds for run in each), each[-1]
        traffic = f"{last.calls} calls, {last.size / 1000:.0f} kB"
        line = f"{name}: {seconds:.1f} s, {last.captured} of 35 stories captured, {traffic}"
        print(f"{line}; bar {BARS[name]:.0f} s")
        if seconds >= BARS[name]:
            missed.append(line)
    return missed


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench-check", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(f"bench-check: load average before the run: {os.getloadavg()[0]:.1f}")
    try:
        with demo_folder("bench-check") as folder:
            (folder / "project").mkdir()
            missed = find_missed(measure(folder, options.rounds))
    except DemoError as error:
        print(f"bench-check: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    print(*(f"MISSED: {line}" for line in missed), sep="\n")
    return 1 if missed and os.environ.get("CHECK") == "1" else 0


if __name__ == "__main__":
    sys.exit(main())
