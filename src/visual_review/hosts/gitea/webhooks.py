"""Reads Gitea's and Forgejo's webhook deliveries; pure.

Neither reports a renamed or transferred repository: the next event has the new name.
"""

import hashlib
from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ValidationError

from visual_review.hosts.errors import HostResponseError
from visual_review.hosts.gitea.schemas import PullRequest
from visual_review.hosts.port import Event
from visual_review.hosts.signatures import (
    get_header,
    hmac_sha256,
    is_hmac_sha256,
    require_signature,
)


class RepositoryReference(BaseModel):
    id: int
    full_name: str


class PullRequestHook(BaseModel):
    pull_request: PullRequest
    repository: RepositoryReference


class DeleteHook(BaseModel):
    ref: str
    ref_type: Literal["branch", "tag"]
    repository: RepositoryReference


class RepositoryHook(BaseModel):
    action: str
    repository: RepositoryReference


class GiteaWebhookReader:
    def verify_signature(self, headers: Mapping[str, str], body: bytes, secret: str) -> None:
        require_signature(_signature(headers), hmac_sha256(body, secret), secret)

    def may_be_genuine(self, headers: Mapping[str, str], secret: str) -> bool:  # noqa: ARG002 - The body is signed.
        return is_hmac_sha256(_signature(headers))

    def parse_event(self, headers: Mapping[str, str], body: bytes) -> Event | None:
        name = get_header(headers, "X-Gitea-Event") or get_header(headers, "X-Forgejo-Event")
        given = get_header(headers, "X-Gitea-Delivery") or get_header(headers, "X-Forgejo-Delivery")
        try:
            return _event(name, given or hashlib.sha256(body).hexdigest(), body)
        except ValidationError as error:
            raise HostResponseError("The delivery does not match Gitea's format.") from error


def _signature(headers: Mapping[str, str]) -> str:
    return get_header(headers, "X-Gitea-Signature") or get_header(headers, "X-Forgejo-Signature")


def _event(name: str, delivery_id: str, body: bytes) -> Event | None:
    if name == "pull_request":
        hook = PullRequestHook.model_validate_json(body)
        return Event(
            kind="pull_request",
            delivery_id=delivery_id,
            repository_id=str(hook.repository.id),
            full_name=hook.repository.full_name,
            pull_request=hook.pull_request.to_host_pull_request(),
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
