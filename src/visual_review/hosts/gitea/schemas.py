"""The used fields of Gitea's and Forgejo's responses, converted to our types; pure.

Field names are from Gitea's Swagger file (``templates/swagger/v1_json.tmpl``).
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
)


class User(BaseModel):
    id: int
    login: str


# Gitea replaces a hidden e-mail address by an address at its own host.
HIDDEN: Final = "@noreply."


class Person(User):
    full_name: str = ""
    email: str = ""
    avatar_url: str = ""

    def to_host_person(self) -> HostPerson:
        email = "" if HIDDEN in self.email else self.email
        return HostPerson(self.login, self.full_name, email, self.avatar_url)


class Organization(BaseModel):
    name: str


class Team(BaseModel):
    id: int
    name: str


class Repository(BaseModel):
    id: int
    full_name: str
    default_branch: str = ""
    private: bool = False
    archived: bool = False

    def to_host_repository(self) -> HostRepository:
        return HostRepository(
            id=str(self.id),
            full_name=self.full_name,
            default_branch=self.default_branch,
            private=self.private,
            archived=self.archived,
        )


class RepositoryName(BaseModel):
    full_name: str


class Branch(BaseModel):
    """``repo`` is null when a fork is gone."""

    ref: str
    sha: str = ""
    repo: RepositoryName | None = None


class NamedBranch(BaseModel):
    name: str


class PullRequest(BaseModel):
    number: int
    title: str
    body: str | None = None
    state: str
    merged: bool = False
    merge_commit_sha: str | None = None
    head: Branch
    base: Branch
    updated_at: datetime | None = None

    def to_host_pull_request(self) -> HostPullRequest:
        return HostPullRequest(
            number=self.number,
            title=self.title,
            state=self._state(),
            head_branch=self.head.ref,
            head_repository=self.head.repo.full_name if self.head.repo else "",
            head_commit=self.head.sha,
            base_branch=self.base.ref,
            merge_commit=(self.merge_commit_sha or "") if self.merged else "",
            updated_at=self.updated_at,
            description=self.body or "",
        )

    def _state(self) -> PullRequestState:
        if self.merged:
            return "merged"
        return "closed" if self.state == "closed" else "open"


class Status(BaseModel):
    """Gitea's requests have ``state``, its responses ``status``."""

    id: int
    context: str
    status: str


class Author(BaseModel):
    id: int


class Comment(BaseModel):
    """``user`` is null for a comment whose author was deleted."""

    id: int
    body: str
    user: Author | None = None

    def to_host_comment(self) -> HostComment:
        return HostComment(str(self.id), self.body)


class Commit(BaseModel):
    sha: str
