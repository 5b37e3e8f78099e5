"""The used fields of GitHub's responses and deliveries; most fields are left out.

Names and types are from https://github.com/github/rest-api-description.
"""

from datetime import datetime

from pydantic import BaseModel

from visual_review.hosts.port import (
    HostComment,
    HostPerson,
    HostPullRequest,
    HostRepository,
    PullRequestState,
)


class User(BaseModel):
    login: str


class Person(User):
    """``name`` and ``email`` are null unless the person made them public."""

    name: str | None = None
    email: str | None = None
    avatar_url: str = ""

    def to_host_person(self) -> HostPerson:
        return HostPerson(self.login, self.name or "", self.email or "", self.avatar_url)


class Team(BaseModel):
    slug: str
    name: str


class Account(BaseModel):
    """``type`` is ``Organization`` or ``User``; an enterprise has neither login nor type."""

    login: str = ""
    type: str = ""


class Installation(BaseModel):
    app_slug: str
    account: Account | None = None
    suspended_at: datetime | None = None


class InstallationToken(BaseModel):
    token: str
    expires_at: datetime


class Repository(BaseModel):
    id: int
    full_name: str
    default_branch: str
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


class InstallationRepositories(BaseModel):
    repositories: list[Repository]


class NamedRepository(BaseModel):
    full_name: str


class Side(BaseModel):
    """One end of a pull request; ``repo`` is null when the fork was deleted."""

    ref: str
    sha: str
    repo: NamedRepository | None = None


class PullRequest(BaseModel):
    """While open, ``merge_commit_sha`` is a test merge commit that GitHub created."""

    number: int
    title: str
    body: str | None = None
    state: str
    merged_at: datetime | None = None
    merge_commit_sha: str | None = None
    head: Side
    base: Side
    updated_at: datetime | None = None

    def to_host_pull_request(self) -> HostPullRequest:
        merged = self.merged_at is not None
        state: PullRequestState = "open" if self.state == "open" else "closed"
        return HostPullRequest(
            number=self.number,
            title=self.title,
            state="merged" if merged else state,
            head_branch=self.head.ref,
            head_repository=self.head.repo.full_name if self.head.repo else "",
            head_commit=self.head.sha,
            base_branch=self.base.ref,
            merge_commit=(self.merge_commit_sha or "") if merged else "",
            updated_at=self.updated_at,
            description=self.body or "",
        )


class Comment(BaseModel):
    """``user`` is null when the account was deleted."""

    id: int
    body: str | None = None
    user: User | None = None

    def to_host_comment(self) -> HostComment:
        return HostComment(str(self.id), self.body or "")


class Reference(BaseModel):
    """``ref`` is complete, such as ``refs/heads/main``."""

    ref: str


class IgnoredObject(BaseModel):
    """A JSON object whose content is not used."""
