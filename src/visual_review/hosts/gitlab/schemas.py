"""The used fields of GitLab's responses, converted to our types; pure.

Field names are from GitLab's OpenAPI file (``doc/api/openapi``), version 4.
"""

from datetime import datetime
from typing import Final

from pydantic import BaseModel

from visual_review.hosts.port import (
    HostComment,
    HostPerson,
    HostPullRequest,
    HostRepository,
    PullRequestState,
    StatusState,
)

# GitLab does not distinguish an error from a failure.
STATES: Final[dict[StatusState, str]] = {
    "pending": "pending",
    "success": "success",
    "failure": "failed",
    "error": "failed",
}
# The limit of GitLab's database column.
DESCRIPTION_LENGTH: Final = 255


class User(BaseModel):
    id: int
    username: str


class Group(BaseModel):
    id: int
    full_path: str


class Member(User):
    """``email`` is there for an administrator's token only."""

    name: str = ""
    avatar_url: str | None = None
    public_email: str | None = None
    email: str | None = None

    def to_host_person(self) -> HostPerson:
        email = self.email or self.public_email or ""
        return HostPerson(self.username, self.name, email, self.avatar_url or "")


class Project(BaseModel):
    """``default_branch`` is null for an empty project."""

    id: int
    path_with_namespace: str
    default_branch: str | None = None
    visibility: str = "private"
    archived: bool = False

    def to_host_repository(self) -> HostRepository:
        return HostRepository(
            id=str(self.id),
            full_name=self.path_with_namespace,
            default_branch=self.default_branch or "",
            private=self.visibility != "public",
            archived=self.archived,
        )


class Branch(BaseModel):
    name: str


class MergeRequest(BaseModel):
    """``source_project_id`` is null, or the id of a deleted project, once the fork is deleted."""

    iid: int
    title: str
    description: str | None = None
    state: str
    source_branch: str
    target_branch: str
    source_project_id: int | None = None
    sha: str | None = None
    merge_commit_sha: str | None = None
    squash_commit_sha: str | None = None
    updated_at: datetime | None = None

    def to_host_pull_request(self, head_repository: str) -> HostPullRequest:
        return HostPullRequest(
            number=self.iid,
            title=self.title,
            state=pull_request_state(self.state),
            head_branch=self.source_branch,
            head_repository=head_repository,
            head_commit=self.sha or "",
            base_branch=self.target_branch,
            merge_commit=self._merge_commit(),
            updated_at=self.updated_at,
            description=self.description or "",
        )

    def _merge_commit(self) -> str:
        """A merge commit is on top of the squashed one; a fast-forward creates neither."""
        if self.state != "merged":
            return ""
        return self.merge_commit_sha or self.squash_commit_sha or self.sha or ""


class Status(BaseModel):
    id: int
    name: str
    status: str


class Author(BaseModel):
    id: int


class Note(BaseModel):
    id: int
    body: str
    author: Author

    def to_host_comment(self) -> HostComment:
        return HostComment(str(self.id), self.body)


def pull_request_state(state: str) -> PullRequestState:
    """Convert the state; ``locked`` is a pull request being merged right now."""
    if state == "merged":
        return "merged"
    return "closed" if state == "closed" else "open"


def truncate_description(description: str) -> str:
    if len(description) <= DESCRIPTION_LENGTH:
        return description
    return f"{description[: DESCRIPTION_LENGTH - 3]}..."
