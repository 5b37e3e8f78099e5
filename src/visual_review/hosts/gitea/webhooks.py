"""Reads Gitea's and Forgejo's webhook deliveries; pure.

Neither tells of a renamed or transferred repository: the name is learned from what comes next.
"""

import hashlib
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ValidationError

from visual_review.hosts.errors import HostResponseError
from visual_review.hosts.gitea.schemas import PullRequest
from visual_review.hosts.port import Event
from visual_review.hosts.signatures import header, hmac_sha256, require_same


class Subject(BaseModel):
    id: int
    full_name: str


class PullRequestHook(BaseModel):
    pull_request: PullRequest
    repository: Subject


class DeleteHook(BaseModel):
    ref: str
    ref_type: Literal["branch", "tag"]
    repository: Subject


class RepositoryHook(BaseModel):
    action: str
    repository: Subject


class GiteaDeliveries:
    def check(self, headers: Mapping[str, str], body: bytes, secret: str) -> None:
        given = header(headers, "X-Gitea-Signature") or header(headers, "X-Forgejo-Signature")
        require_same(given, hmac_sha256(body, secret), secret)

    def read(self, headers: Mapping[str, str], body: bytes) -> Event | None:
        name = header(headers, "X-Gitea-Event") or header(headers, "X-Forgejo-Event")
        given = header(headers, "X-Gitea-Delivery") or header(headers, "X-Forgejo-Delivery")
        try:
            return _event(name, given or hashlib.sha256(body).hexdigest(), body)
        except ValidationError as error:
            raise HostResponseError("The delivery is not shaped as Gitea's are.") from error


def _event(name: str, delivery_id: str, body: bytes) -> Event | None:
    if name == "pull_request":
        pull = PullRequestHook.model_validate_json(body)
        return Event(
            kind="pull_request",
            delivery_id=delivery_id,
            repository_id=str(pull.repository.id),
            full_name=pull.repository.full_name,
            pull_request=pull.pull_request.told(),
        )
    if name == "delete":
        deleted = DeleteHook.model_validate_json(body)
        if deleted.ref_type == "tag":
            return None
        return Event(
            kind="branch_deleted",
            delivery_id=delivery_id,
            repository_id=str(deleted.repository.id),
            full_name=deleted.repository.full_name,
            branch=deleted.ref.removeprefix("refs/heads/"),
        )
    if name == "repository":
        changed = RepositoryHook.model_validate_json(body)
        if changed.action != "deleted":
            return None
        return Event(
            kind="repository_removed",
            delivery_id=delivery_id,
            repository_id=str(changed.repository.id),
            full_name=changed.repository.full_name,
        )
    return None
