"""Links from a build to its Git provider: branch, commit and pull request; pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from visual_review.builds.models import Build

# The path below the repository, by the kind of provider.
_COMMIT: Final = {"github": "commit", "gitlab": "-/commit", "gitea": "commit"}
_BRANCH: Final = {"github": "tree", "gitlab": "-/tree", "gitea": "src/branch"}
_PULL_REQUEST: Final = {"github": "pull", "gitlab": "-/merge_requests", "gitea": "pulls"}


@dataclass(frozen=True)
class GitLinks:
    """URLs at the Git provider; empty where they do not exist."""

    branch: str = ""
    base_branch: str = ""
    commit: str = ""
    pull_request: str = ""


def git_links_of(build: Build) -> GitLinks:
    """Return the links of a build."""
    account = build.repository.host_account
    if account is None or account.kind not in _COMMIT:
        return GitLinks()
    base = account.address.rstrip("/")
    own = f"{base}/{quote(build.repository.full_name)}"
    # The branch of a fork, and on some providers its commits, exist in the fork only.
    head = f"{base}/{quote(build.head_repository)}" if build.head_repository else own
    return GitLinks(
        branch=_join(head, _BRANCH, account.kind, build.branch),
        base_branch=_join(own, _BRANCH, account.kind, build.base_branch),
        commit=_join(head, _COMMIT, account.kind, build.commit),
        pull_request=_join(own, _PULL_REQUEST, account.kind, build.pull_request or ""),
    )


def _join(repository: str, paths: Mapping[str, str], kind: str, name: str | int) -> str:
    return f"{repository}/{paths[kind]}/{quote(str(name))}" if name else ""
