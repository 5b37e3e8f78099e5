"""Modules imported at the start of the service's processes, and forbidden ones.

Each process is forked from one process with the common imports, as in ``visual-review up``.
"""

import json
import os
import subprocess
import sys
from typing import Final

import pytest

from tests.support.case import Case

SCRIPT: Final = """
import json, os, sys
from visual_review.config.boot import load
from visual_review.config.standalone.fork_server import count_threads, import_shared

def report(name):
    print(json.dumps([name, count_threads(), sorted(sys.modules)]), flush=True)

def web():
    load("visual_review.config.http.serve.serve")
    load("visual_review.config.http.asgi.make_application")()
    load("django.urls.get_resolver")()._populate()

def worker():
    load("visual_review.config.commands.worker.run_by_environment")
    load("procrastinate.contrib.django.app").perform_import_paths()

import_shared()
report("shared")
for run in (web, worker):
    child = os.fork()
    if child == 0:
        run()
        report(run.__name__)
        sys.stdout.flush()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""
# Packages, with all subpackages.
NEITHER: Final = (
    *("playwright", "typer"),
    *("visual_review.cli", "visual_review.client"),
)
FORBIDDEN: Final = {
    "shared": (
        *NEITHER,
        *("numpy", "starlette", "uvicorn", "mcp", "mcp_types"),
        *("visual_review.web.views", "visual_review.api", "visual_review.actions"),
    ),
    "web": (*NEITHER, "numpy", "mcp", "visual_review.jobs.builds.process_build"),
    "worker": (
        *NEITHER,
        *("numpy", "starlette", "uvicorn", "mcp", "mcp_types"),
        *("visual_review.web.views", "visual_review.api", "visual_review.actions"),
    ),
}


@pytest.fixture(scope="module")
def processes() -> dict[str, tuple[int, list[str]]]:
    """The number of threads and the imported modules of each process."""
    variables = {
        "VISUAL_REVIEW_DATABASE_URL": "postgresql:///unused",
        "VISUAL_REVIEW_STORAGE_URL": "file:///unused",
        "VISUAL_REVIEW_SECRET_KEY": "x" * 48,
    }
    done = subprocess.run(
        [sys.executable, "-P", "-c", SCRIPT],
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {name: (threads, modules) for name, threads, modules in lines}


def test_a_process_imports_nothing_that_it_does_not_need(
    processes: dict[str, tuple[int, list[str]]], case: Case
) -> None:
    for name, packages in FORBIDDEN.items():
        modules = set(processes[name][1])
        for package in packages:
            with case(f"{name} does not import {package}"):
                assert package not in modules


def test_nothing_that_is_shared_starts_a_thread(
    processes: dict[str, tuple[int, list[str]]],
) -> None:
    # A fork has only the forking thread.
    assert processes["shared"][0] == 1


def test_most_of_what_the_worker_imports_is_shared(
    processes: dict[str, tuple[int, list[str]]],
) -> None:
    shared, worker = (set(processes[name][1]) for name in ("shared", "worker"))
    assert len(shared & worker) > len(worker) * 2 / 3
