"""Gitea's JSON, from the state of the in-memory world."""

from datetime import UTC, datetime
from typing import Any, Final

from scripts.local_host.memory.state import WrittenComment
from visual_review.hosts.port import (
    Event,
    HostGroup,
    HostPerson,
    HostPullRequest,
    HostRepository,
    HostStatus,
)

OUR_ID: Final = 1
OTHER_ID: Final = 2

Shape = dict[str, Any]


def user(login: str, ours: str) -> Shape:
    return {"id": OUR_ID if login == ours else OTHER_ID, "login": login}


def organization(group: HostGroup) -> Shape:
    return {"id": OTHER_ID, "name": group.name}


def person(member: HostPerson) -> Shape:
    return {
        "id": OTHER_ID,
        "login": member.login,
        "full_name": member.name,
        # Gitea shows an address of its own instead of a hidden address.
        "email": member.email or f"{member.login}@noreply.localhost",
        "avatar_url": member.avatar,
    }


def repository(seen: HostRepository, address: str) -> Shape:
    owner, _, name = seen.full_name.partition("/")
    return {
        "id": int(seen.id),
        "owner": {"id": OTHER_ID, "login": owner},
        "name": name,
        "full_name": seen.full_name,
        "default_branch": seen.default_branch,
        "private": seen.private,
        "archived": seen.archived,
        "html_url": f"{address}/{seen.full_name}",
    }


def pull_request(pull: HostPullRequest, seen: HostRepository, address: str) -> Shape:
    base = repository(seen, address)
    head = base if pull.head_repository == seen.full_name else _fork(pull, base)
    return {
        "id": pull.number,
        "number": pull.number,
        "title": pull.title,
        "body": pull.description,
        # For Gitea, a merged one is closed.
        "state": "open" if pull.state == "open" else "closed",
        "merged": pull.state == "merged",
        "merge_commit_sha": pull.merge_commit or None,
        "html_url": page_of(pull.number, seen.full_name, address),
        "base": {"label": pull.base_branch, "ref": pull.base_branch, "sha": "", "repo": base},
        "head": {
            "label": pull.head_branch,
            "ref": pull.head_branch,
            "sha": pull.head_commit,
            "repo": head,
        },
        "updated_at": moment(pull.updated_at),
    }


def page_of(number: int, full_name: str, address: str) -> str:
    return f"{address}/{full_name}/pulls/{number}"


def status(number: int, posted: HostStatus) -> Shape:
    return {
        "id": number,
        "context": posted.context,
        "status": posted.state,
        "description": posted.description,
        "target_url": posted.url,
    }


def comment(written: WrittenComment, ours: str) -> Shape:
    return {"id": int(written.id), "body": written.body, "user": user(written.author, ours)}


def event(happened: Event, seen: Shape, address: str) -> tuple[str, Shape] | None:
    """Return the name of the event and the body; None for events without a webhook."""
    if happened.kind == "pull_request" and happened.pull_request is not None:
        known = HostRepository(happened.repository_id, happened.full_name, seen["default_branch"])
        pull = pull_request(happened.pull_request, known, address)
        return "pull_request", {
            "action": "edited",
            "number": happened.pull_request.number,
            "pull_request": pull,
            "repository": seen,
        }
    if happened.kind == "branch_deleted":
        return "delete", {"ref": happened.branch, "ref_type": "branch", "repository": seen}
    if happened.kind == "repository_removed":
        return "repository", {"action": "deleted", "repository": seen}
    return None


def moment(value: datetime | None) -> str | None:
    """Return a time with a higher resolution than Gitea's seconds, as tests need."""
    return None if value is None else value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _fork(pull: HostPullRequest, base: Shape) -> Shape | None:
    if not pull.head_repository:
        return None
    return {**base, "id": 0, "full_name": pull.head_repository}
