"""The parts of Gitea's and Forgejo's answers that are used, and their meaning in our words; pure.

Field names are those of Gitea's Swagger description (``templates/swagger/v1_json.tmpl`` there).
"""

from datetime import datetime

from pydantic import BaseModel

from visual_review.hosts.port import (
    HostComment,
    HostPullRequest,
    HostRepository,
    PullRequestState,
)


class User(BaseModel):
    id: int
    login: str


class Repository(BaseModel):
    id: int
    full_name: str
    default_branch: str = ""
    private: bool = False
    archived: bool = False

    def told(self) -> HostRepository:
        return HostRepository(
            id=str(self.id),
            full_name=self.full_name,
            default_branch=self.default_branch,
            private=self.private,
            archived=self.archived,
        )


class Named(BaseModel):
    full_name: str


class Branch(BaseModel):
    """``repo`` is null when a fork is gone."""

    ref: str
    sha: str = ""
    repo: Named | None = None


class PullRequest(BaseModel):
    number: int
    title: str
    state: str
    merged: bool = False
    merge_commit_sha: str | None = None
    head: Branch
    base: Branch
    updated_at: datetime | None = None

    def told(self) -> HostPullRequest:
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
        )

    def _state(self) -> PullRequestState:
        if self.merged:
            return "merged"
        return "closed" if self.state == "closed" else "open"


class Status(BaseModel):
    """Gitea takes ``state`` and answers with ``status``."""

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

    def told(self) -> HostComment:
        return HostComment(str(self.id), self.body)


class Commit(BaseModel):
    sha: str
