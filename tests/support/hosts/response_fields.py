"""The published response fields that we read: field -> JSON type.

Gitea and Forgejo: the definitions of their Swagger files, equal in Gitea 1.15 and Forgejo 16.0 for
the listed fields. GitLab: the entities behind the OpenAPI file (``lib/api/entities``). "Person" is
the part of Gitea's "User" used in lists of members. ``?`` marks a field that may be null or absent,
an upper-case word is another definition.
"""

from typing import Any, Final

Definitions = dict[str, dict[str, str]]

GITEA: Final[Definitions] = {
    "User": {"id": "integer", "login": "string"},
    "Person": {
        "id": "integer",
        "login": "string",
        "full_name": "string",
        "email": "string",
        "avatar_url": "string",
    },
    "Organization": {"id": "integer", "name": "string"},
    "Team": {"id": "integer", "name": "string"},
    "Repository": {
        "id": "integer",
        "owner": "User",
        "name": "string",
        "full_name": "string",
        "default_branch": "string",
        "private": "boolean",
        "archived": "boolean",
        "html_url": "string",
    },
    "PRBranchInfo": {
        "label": "string",
        "ref": "string",
        "sha": "string",
        "repo_id": "integer?",
        "repo": "Repository?",
    },
    "PullRequest": {
        "id": "integer",
        "number": "integer",
        "title": "string",
        "body": "string",
        "state": "string",
        "merged": "boolean",
        "merge_commit_sha": "string?",
        "html_url": "string",
        "base": "PRBranchInfo",
        "head": "PRBranchInfo",
        "updated_at": "string?",
    },
    "CommitStatus": {
        "id": "integer",
        "context": "string",
        "status": "string",
        "description": "string",
        "target_url": "string",
    },
    "Branch": {"name": "string"},
    "Commit": {"sha": "string"},
    "Comment": {"id": "integer", "body": "string", "user": "User?"},
}

GITLAB: Final[Definitions] = {
    "User": {"id": "integer", "username": "string"},
    "Group": {"id": "integer", "full_path": "string"},
    "Member": {
        "id": "integer",
        "username": "string",
        "name": "string",
        "avatar_url": "string?",
        "public_email": "string?",
        "email": "string?",
    },
    "UserBasic": {"id": "integer", "username": "string?"},
    "Project": {
        "id": "integer",
        "path_with_namespace": "string",
        "default_branch": "string?",
        "visibility": "string",
        "archived": "boolean",
    },
    "Branch": {"name": "string"},
    "MergeRequest": {
        "iid": "integer",
        "title": "string",
        "description": "string?",
        "state": "string",
        "source_branch": "string",
        "target_branch": "string",
        "source_project_id": "integer?",
        "target_project_id": "integer",
        "sha": "string?",
        "merge_commit_sha": "string?",
        "squash_commit_sha": "string?",
        "updated_at": "string?",
    },
    "CommitStatus": {
        "id": "integer",
        "name": "string",
        "status": "string",
        "description": "string?",
        "target_url": "string?",
    },
    "Note": {"id": "integer", "body": "string", "author": "UserBasic"},
}

_TYPES: Final[dict[str, type]] = {"integer": int, "string": str, "boolean": bool}


def breaches(value: Any, wanted: str, known: Definitions, place: str = "") -> list[str]:  # noqa: ANN401 - JSON.
    """Return where ``value`` differs from the published definition ``wanted``."""
    if wanted.endswith("?"):
        return [] if value is None else breaches(value, wanted[:-1], known, place)
    if wanted.endswith("[]"):
        if not isinstance(value, list):
            return [f"{place} is not a list"]
        return [
            breach
            for number, item in enumerate(value)
            for breach in breaches(item, wanted[:-2], known, f"{place}[{number}]")
        ]
    if wanted in _TYPES:
        right = type(value) is _TYPES[wanted]
        return [] if right else [f"{place} is {value!r}, not {wanted}"]
    if not isinstance(value, dict):
        return [f"{place} is not an object"]
    return [
        *(f"{place}.{name} is not published" for name in value.keys() - known[wanted].keys()),
        *(
            breach
            for name, kind in known[wanted].items()
            for breach in breaches(value.get(name), kind, known, f"{place}.{name}")
        ),
    ]
