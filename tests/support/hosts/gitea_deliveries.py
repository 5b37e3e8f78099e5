"""A pull request as Gitea and Forgejo describe it in a delivery."""

from typing import Any

REPOSITORY = {"id": 41, "full_name": "acme/web", "name": "web", "default_branch": "main"}
HEAD: dict[str, Any] = {
    "label": "blue",
    "ref": "blue",
    "sha": "a" * 40,
    "repo_id": 52,
    "repo": {"id": 52, "full_name": "eve/web"},
}
PULL_REQUEST = {
    "id": 900,
    "number": 7,
    "user": {"id": 3, "login": "ada"},
    "title": "Blue buttons",
    "state": "closed",
    "draft": False,
    "merged": True,
    "merged_at": "2026-03-01T10:00:00Z",
    "merge_commit_sha": "c" * 40,
    "base": {"label": "main", "ref": "main", "sha": "0" * 40, "repo_id": 41, "repo": REPOSITORY},
    "head": HEAD,
    "merge_base": "0" * 40,
    "updated_at": "2026-03-01T10:00:00Z",
}
