"""The compared programs, each as a command for capturing a Storybook into a folder."""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from scripts.setup_steps import VENV_BIN

from benchmarks.capture.installation import Installation
from visual_review.client.capture.chromium import stable_flags
from visual_review.variants import DEVICES, Device

OURS, STORYCAP, BARE = "ours", "storycap", "bare loop"
PROGRAMS: Final = (OURS, STORYCAP, BARE)
LOOPBACK: Final = "127.0.0.1"


@dataclass(frozen=True)
class Job:
    """The stories to capture. Without ``pages``, each program opens its default number of pages."""

    folder: Path
    port: int
    devices: tuple[Device, ...]
    pages: int | None

    @property
    def url(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    @property
    def sizes(self) -> list[str]:
        viewports = [DEVICES[device] for device in self.devices]
        return [f"{viewport.width}x{viewport.height}" for viewport in viewports]


def make_command(
    program: str, job: Job, installed: Installation, output: Path
) -> Sequence[str | Path]:
    makers = {OURS: _ours, STORYCAP: _storycap, BARE: _bare_loop}
    return makers[program](job, installed, output)


def browser_flags() -> list[str]:
    """Return the flags of all programs' browsers.

    Other hosts are out of reach for all programs alike, so that no program waits for one.
    """
    # Chromium's sandbox does not start for root, and CI machines often run as root.
    unconfined = ["--no-sandbox"] if os.geteuid() == 0 else []
    rules = f"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE {LOOPBACK}"
    return [*unconfined, *stable_flags(), rules]


def _ours(job: Job, installed: Installation, output: Path) -> list[str | Path]:
    command: list[str | Path] = [VENV_BIN / "visual-review", "capture", job.folder]
    command += ["--output", output, "--chromium", installed.chromium]
    command += ["--theme", "light", "--json"]
    for device in job.devices:
        command += ["--device", device]
    return command if job.pages is None else [*command, "--workers", str(job.pages)]


def _storycap(job: Job, installed: Installation, output: Path) -> list[str | Path]:
    launch = json.dumps({"args": browser_flags()})
    command: list[str | Path] = [installed.node, installed.storycap, job.url, "--outDir", output]
    command += ["--chromiumPath", installed.chromium, "--puppeteerLaunchConfig", launch]
    for size in job.sizes:
        command += ["--viewport", size]
    return command if job.pages is None else [*command, "--parallel", str(job.pages)]


def _bare_loop(job: Job, installed: Installation, output: Path) -> list[str | Path]:
    command: list[str | Path] = [sys.executable, "-m", "benchmarks.capture.bare_loop", job.url]
    command += ["--output", output, "--chromium", installed.chromium]
    command += ["--pages", str(job.pages or 1), "--index", job.folder / "index.json"]
    return [*command, "--viewport", *job.sizes]
