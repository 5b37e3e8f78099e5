"""Reads facts about the checkout from git; without git or history, the facts are unknown."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from visual_review.client.ci.parsing import first_line

SECONDS = 20.0


class Checkout:
    """The working copy around ``folder``. No method raises; an empty string means unknown."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def branch(self) -> str:
        """Return the branch checked out, empty on a detached HEAD."""
        return self._git("symbolic-ref", "--quiet", "--short", "HEAD")

    def resolve(self, revision: str) -> str:
        """Return the full hash of the commit named ``revision``."""
        return self._git(
            # Otherwise, a revision from the environment with a leading dash would be an option.
            "rev-parse",
            "--quiet",
            "--verify",
            "--end-of-options",
            f"{revision}^{{commit}}",
        )

    def message(self, commit: str) -> str:
        """Return the subject of ``commit``."""
        return first_line(self._git("log", "-1", "--format=%s", "--end-of-options", commit))

    def author(self, commit: str) -> str:
        """Return the name of the author of ``commit``."""
        return first_line(self._git("log", "-1", "--format=%aN", "--end-of-options", commit))

    def merge_base(self, commit: str, base_branch: str, base_commit: str = "") -> str:
        """Return the merge base of ``commit``; unknown in a shallow checkout."""
        for base in self._bases(base_branch, base_commit):
            if found := self._git("merge-base", "--end-of-options", base, commit):
                return found
        return ""

    def _bases(self, branch: str, commit: str) -> Iterator[str]:
        if commit:
            yield commit
        if branch:
            yield f"refs/remotes/origin/{branch}"
            yield f"refs/heads/{branch}"

    def _git(self, *arguments: str) -> str:
        try:
            result = subprocess.run(  # noqa: S603 - No shell; untrusted arguments come after --end-of-options.
                ["git", *arguments],  # noqa: S607 - The git of the CI machine is intended.
                cwd=self._folder,
                # A missing object must be an error, not a download or a password prompt.
                env={**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1"},
                capture_output=True,
                timeout=SECONDS,
                check=True,
            )
        except (OSError, ValueError, subprocess.SubprocessError):
            return ""
        return result.stdout.decode("utf-8", "replace").strip()
