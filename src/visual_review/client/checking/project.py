"""The repository and the base branch of a checkout, as git knows them."""

import re
from pathlib import Path
from typing import Final

from visual_review.client.git import run_git
from visual_review.client.transport.errors import InputError

# An address such as git@github.com:acme/web.git, or a URL such as https://github.com/acme/web.
ADDRESS: Final = re.compile(r"(?:[\w.+-]+@)?[\w.-]+:(?!//)(?P<path>.+)")
URL: Final = re.compile(r"[a-z][a-z0-9+.-]*://[^/]+/(?P<path>.+)")
REMOTE_HEAD: Final = "refs/remotes/origin/"


def find_repository(folder: Path) -> str:
    """Return ``owner/repo`` of the remote `origin`. Raises InputError."""
    url = run_git(folder, "remote", "get-url", "origin").strip()
    found = URL.fullmatch(url) or ADDRESS.fullmatch(url)
    path = found["path"].strip("/").removesuffix(".git") if found else ""
    if "/" not in path:
        raise InputError(
            "The repository is unknown: git has no remote `origin` with a name such as owner/repo. "
            "Pass --repository, or set repository in [check] of visual-review.toml."
        )
    return path


def find_base_branch(folder: Path) -> str:
    """Return the default branch of the remote `origin`; empty if unknown to git."""
    name = run_git(folder, "symbolic-ref", "--quiet", f"{REMOTE_HEAD}HEAD").strip()
    return name.removeprefix(REMOTE_HEAD)
