"""Webhook deliveries in the form of GitLab and Gitea."""

from typing import Any

PROJECT = {"id": 41, "path_with_namespace": "acme/team/web", "default_branch": "main"}
ATTRIBUTES = {
    "id": 99,
    "iid": 7,
    "title": "Blue buttons",
    "state": "merged",
    "action": "merge",
    "source_branch": "blue",
    "target_branch": "main",
    "source_project_id": 52,
    "target_project_id": 41,
    "merge_commit_sha": "c" * 40,
    "updated_at": "2026-03-01T10:00:00Z",
    "source": {"id": 52, "path_with_namespace": "eve/web"},
    "target": PROJECT,
    "last_commit": {"id": "a" * 40, "message": "Blue"},
}


def merge_request(**attributes: object) -> dict[str, Any]:
    return {
        "object_kind": "merge_request",
        "event_type": "merge_request",
        "user": {"id": 1, "username": "ada"},
        "project": PROJECT,
        "object_attributes": {**ATTRIBUTES, **attributes},
        "changes": {"state_id": {"previous": 1, "current": 3}},
    }


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
