"""Publishes large builds one after the other, and measures each from finish to verdict."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import psutil
from scripts.demo_folder import DemoError
from scripts.demo_server import DemoServer

from benchmarks.build_pages import SIZES, encode_pages
from benchmarks.build_rows import IdleMemory, Row
from benchmarks.large_build import Project, hash_of
from benchmarks.process_memory import memory_by_process, sample_memory

IDLE_SECONDS = 60
SMALL_STORIES = 20
SMALL_CHANGES = 5
# One story in 20 differs, in all of its variants.
CHANGED_SHARE = 20


@dataclass(frozen=True)
class Runs:
    """The builds of one project, and the worker that compares them."""

    project: Project
    worker: psutil.Process

    def measure(self, name: str, build: str, *, pairs: int, has_bar: bool) -> Row:
        """Finish the build; raises DemoError unless ``pairs`` screenshots are changed."""
        before = self.worker.memory_info().rss
        used = _cpu_seconds(self.worker)
        with sample_memory(self.worker) as memory:
            seconds = self.project.finish(build)
        found = self.project.show(build)["counts"]
        if found["changed"] != pairs or found["failed"] or found["new"] or found["pending"]:
            raise DemoError(f"The build '{name}' has a wrong verdict: {found}.")
        return Row(
            name=name,
            seconds=seconds,
            pairs=pairs,
            cpu=_cpu_seconds(self.worker) - used,
            peak=memory.peak,
            growth=memory.last - before,
            has_bar=has_bar,
        )


def measure_idle(server: DemoServer, name: str, *, has_bar: bool) -> IdleMemory:
    """Return the memory of the service a minute after the last use."""
    time.sleep(IDLE_SECONDS)
    return IdleMemory(name, memory_by_process(server.process.pid), has_bar)


def publish_small_builds(server: DemoServer) -> None:
    """Publish three builds of 120 screenshots, two of them with 30 changes."""
    project = Project(server.url, SMALL_STORIES, SMALL_STORIES, "acme/small")
    first = project.publish(project.shots, project.pages)
    project.finish(first)
    server.act("approve_build", buildId=first)
    for number in range(2):
        stories = range(SMALL_CHANGES * number, SMALL_CHANGES * (number + 1))
        pages = encode_pages(stories, changed=True)
        shots = {**project.shots, **{key: hash_of(data) for key, data in pages.items()}}
        project.finish(project.publish(shots, pages))


def measure(
    server: DemoServer,
    worker: psutil.Process,
    screenshots: int,
    rounds: int,
    say: Callable[[object], None],
) -> tuple[list[IdleMemory], list[Row]]:
    """Return a row for each build: the changed ones, and one with other bytes only.

    Before and after the rows, the memory after small builds is measured.
    """
    publish_small_builds(server)
    idle = [measure_idle(server, "three small builds", has_bar=True)]
    say(idle[0])
    stories = screenshots // len(SIZES)
    changed = max(1, stories // CHANGED_SHARE)
    say(f"storing a baseline of {stories * len(SIZES):,} screenshots")
    project = Project(server.url, stories, readable=changed * rounds)
    runs = Runs(project, worker)
    first = project.publish_unread(project.shots, project.pages)
    project.finish(first)
    began = time.monotonic()
    server.act("approve_build", buildId=first)
    say(f"approved in {time.monotonic() - began:.1f} s")
    rows = []
    for number in range(rounds):
        say(f"uploading a build with {changed * len(SIZES)} changed screenshots")
        # Other stories each time: pairs with a known verdict are not compared again.
        pages = encode_pages(range(changed * number, changed * (number + 1)), changed=True)
        shots = {**project.shots, **{key: hash_of(data) for key, data in pages.items()}}
        build = project.publish(shots, pages)
        name = f"{len(shots):,}, {len(pages) / len(shots):.0%} changed"
        rows.append(runs.measure(name, build, pairs=len(pages), has_bar=True))
        say(rows[-1])
    build = project.publish_unread(project.reencode(), {})
    name = f"{len(project.shots):,}, all with other bytes and equal pixels"
    rows.append(runs.measure(name, build, pairs=0, has_bar=False))
    idle.append(measure_idle(server, "all builds", has_bar=False))
    return idle, rows


def _cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)
