"""The repository and the base branch of a checkout, as git knows them."""

from pathlib import Path
from typing import Final

from visual_review.client.ci.parsing import parse_repository
from visual_review.client.git import run_git
from visual_review.client.transport.errors import InputError

REMOTE_HEAD: Final = "refs/remotes/origin/"


def find_repository(folder: Path) -> str:
    """Return ``owner/repo`` of the remote `origin`. Raises InputError."""
    url = run_git(folder, "remote", "get-url", "origin").strip()
    repository = parse_repository(url)
    if not repository:
        raise InputError(
            "The repository is unknown: git has no remote `origin` with a name such as owner/repo. "
            "Pass --repository, or set repository in [check] of visual-review.toml."
        )
    return repository


def find_base_branch(folder: Path) -> str:
    """Return the default branch of the remote `origin`; empty if unknown to git."""
    name = run_git(folder, "symbolic-ref", "--quiet", f"{REMOTE_HEAD}HEAD").strip()
    return name.removeprefix(REMOTE_HEAD)
