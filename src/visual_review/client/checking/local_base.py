"""Captures the base on this machine if another renderer captured the baseline.

The base commit is built in its own worktree, with the build command of the project. The cache keeps
the built Storybook by the tree of the commit, since the same files give the same Storybook.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from visual_review.client.capture import CaptureSettings, is_storybook, read_stories
from visual_review.client.checking.baseline import Baseline, BaselineEntry, Key
from visual_review.client.checking.cache import Cache
from visual_review.client.checking.comparison import rectangles_of
from visual_review.client.git import run_git
from visual_review.client.progress import Reporter
from visual_review.client.publishing.build_images import Spool
from visual_review.client.publishing.selection import Selection
from visual_review.client.publishing.storybook import CaptureOutput, capture_storybook
from visual_review.client.transport.errors import InputError
from visual_review.imagediff import Region

SHOWN_LINES: Final = 15
# A checkout of a large repository.
CHECKOUT_SECONDS: Final = 600.0


@dataclass(frozen=True, slots=True)
class LocalBase:
    """The base of a Storybook: the build command, and the folder written by this command."""

    folder: Path
    command: str
    cache: Cache
    reporter: Reporter

    def build(self, commit: str) -> Path:
        """Return the Storybook built at ``commit``. Raises InputError."""
        top = Path(run_git(Path.cwd(), "rev-parse", "--show-toplevel").strip() or ".").resolve()
        tree = run_git(top, "rev-parse", "--verify", f"{commit}^{{tree}}").strip()
        if not tree:
            raise InputError(
                f"The base commit {commit[:12]} is not in this repository. Fetch it: `git fetch "
                "origin`."
            )
        output = self.folder.resolve()
        if not output.is_relative_to(top):
            raise InputError(f"{self.folder} is outside of the repository {top}.")
        place, inside = Path.cwd().resolve().relative_to(top), output.relative_to(top)
        name = [tree, self.command, str(place), str(inside)]
        if found := self.cache.find_storybook(name):
            return found
        self.reporter.note(f"Building the base commit {commit[:12]}: {self.command}")
        with _worktree(top, commit) as worktree:
            self._run(worktree / place)
            built = worktree / inside
            if not is_storybook(built):
                raise InputError(
                    f"`{self.command}` has built no Storybook in {inside} at the base commit."
                )
            return self.cache.store_storybook(name, built)

    def _run(self, folder: Path) -> None:
        # A shell, since commands of projects are lines such as `npm ci && npm run build`.
        done = subprocess.run(  # noqa: S602 - The project's own command, as npm runs scripts.
            self.command,
            shell=True,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        if done.returncode:
            lines = done.stdout.decode(errors="replace").splitlines()[-SHOWN_LINES:]
            raise InputError(
                f"`{self.command}` failed at the base commit with exit code {done.returncode}:\n"
                + "\n".join(lines)
            )


@contextmanager
def _worktree(top: Path, commit: str) -> Iterator[Path]:
    """Check the commit out into a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="visual-review-base-") as parent:
        worktree = Path(parent) / "worktree"
        arguments = ("worktree", "add", "--detach", "--force", str(worktree), commit)
        run_git(top, *arguments, seconds=CHECKOUT_SECONDS)
        if not worktree.is_dir():
            raise InputError(f"git could not check the base commit {commit[:12]} out.")
        try:
            yield worktree
        finally:
            run_git(top, "worktree", "remove", "--force", str(worktree))
            # git may be unable to remove files written by the build.
            shutil.rmtree(worktree, ignore_errors=True)
            run_git(top, "worktree", "prune")


def capture_base(
    built: Path,
    baseline: Baseline,
    stories: Collection[str],
    settings: CaptureSettings,
    output: tuple[Spool, Reporter],
) -> dict[Key, BaselineEntry]:
    """Return entries of ``stories``, captured at the base. Raises CaptureError, InputError."""
    spool, reporter = output
    wanted = [story for story in read_stories(built) if story.id in stories]
    plan = replace(baseline.plan, detection_armed=False)
    target = CaptureOutput(spool, reporter)
    contents = capture_storybook(built, plan, Selection(wanted, {}), settings, target)
    failed = [entry for entry in contents.entries if entry.error]
    if failed:
        raise InputError(
            f"{failed[0].story_id} cannot be captured at the base commit: {failed[0].error}"
        )
    return {
        (entry.story_id, entry.variant): BaselineEntry(
            entry.title,
            entry.sha256,
            (entry.width, entry.height),
            regions=rectangles_of(entry),
            dynamic_regions=_dynamic_regions(baseline, (entry.story_id, entry.variant)),
        )
        for entry in contents.entries
    }


def _dynamic_regions(baseline: Baseline, key: Key) -> tuple[Region, ...]:
    known = baseline.entries.get(key)
    return known.dynamic_regions if known else ()
