"""Asks git about the checkout. Where git or the history is missing there is just no answer."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from visual_review.client.ci.parsing import first_line

SECONDS = 20.0


class Checkout:
    """The working copy around ``folder``. No question raises; an empty text means unknown."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def branch(self) -> str:
        """The branch checked out, empty on a detached HEAD."""
        return self._git("symbolic-ref", "--quiet", "--short", "HEAD")

    def resolve(self, revision: str) -> str:
        """The full hash of the commit that ``revision`` names."""
        return self._git(
            # A name from the environment that begins with a dash would be an option otherwise.
            "rev-parse",
            "--quiet",
            "--verify",
            "--end-of-options",
            f"{revision}^{{commit}}",
        )

    def message(self, commit: str) -> str:
        """The subject of ``commit``."""
        return first_line(self._git("log", "-1", "--format=%s", "--end-of-options", commit))

    def merge_base(self, commit: str, base_branch: str, base_commit: str = "") -> str:
        """Where ``commit`` left the base; unknown in a shallow checkout."""
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
            result = subprocess.run(  # noqa: S603 - No shell, and texts of others come after --end-of-options.
                ["git", *arguments],  # noqa: S607 - The git of the CI machine is the right one.
                cwd=self._folder,
                # A missing object must be an answer, not a download or a question for a password.
                env={**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1"},
                capture_output=True,
                timeout=SECONDS,
                check=True,
            )
        except (OSError, ValueError, subprocess.SubprocessError):
            return ""
        return result.stdout.decode("utf-8", "replace").strip()
