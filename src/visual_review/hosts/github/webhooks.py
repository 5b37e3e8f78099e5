"""Reads GitHub's webhook deliveries.

https://docs.github.com/webhooks/webhook-events-and-payloads
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from visual_review.hosts.errors import HostResponseError
from visual_review.hosts.github.schemas import PullRequest
from visual_review.hosts.port import Event, EventKind
from visual_review.hosts.signatures import (
    get_header,
    hmac_sha256,
    is_hmac_sha256,
    require_signature,
)

SIGNATURE: Final = "X-Hub-Signature-256"
DELIVERY: Final = "X-GitHub-Delivery"
EVENT: Final = "X-GitHub-Event"
_PULL_REQUEST_ACTIONS: Final = frozenset({"opened", "reopened", "synchronize", "closed"})
_REPOSITORY_KINDS: Final[Mapping[str, EventKind]] = {
    "renamed": "repository_renamed",
    "transferred": "repository_transferred",
    "deleted": "repository_removed",
}
_INSTALLATION_END_ACTIONS: Final = frozenset({"deleted", "suspend"})
Payload = TypeVar("Payload", bound=BaseModel)


class _Repository(BaseModel):
    id: int
    full_name: str


class _RepositoryPayload(BaseModel):
    action: str = ""
    repository: _Repository


class _PullRequestPayload(_RepositoryPayload):
    pull_request: PullRequest
    changes: dict[str, Any] = {}

    def is_relevant(self) -> bool:
        base_branch_changed = self.action == "edited" and "base" in self.changes
        return base_branch_changed or self.action in _PULL_REQUEST_ACTIONS


class _DeletePayload(_RepositoryPayload):
    ref: str
    ref_type: str


class _InstallationPayload(BaseModel):
    action: str


class GitHubWebhookReader:
    def verify_signature(self, headers: Mapping[str, str], body: bytes, secret: str) -> None:
        require_signature(
            get_header(headers, SIGNATURE), f"sha256={hmac_sha256(body, secret)}", secret
        )

    def may_be_genuine(self, headers: Mapping[str, str], secret: str) -> bool:  # noqa: ARG002 - The body is signed.
        scheme, _, digest = get_header(headers, SIGNATURE).partition("=")
        return scheme == "sha256" and is_hmac_sha256(digest)

    def parse_event(self, headers: Mapping[str, str], body: bytes) -> Event | None:
        delivery_id = get_header(headers, DELIVERY)
        name = get_header(headers, EVENT)
        if not delivery_id or not name:
            raise HostResponseError(
                f"A delivery from GitHub needs the headers {DELIVERY} and {EVENT}."
            )
        if get_header(headers, "Content-Type").startswith("application/x-www-form-urlencoded"):
            raise HostResponseError(
                "The webhook sends form data. Set its content type to application/json at GitHub."
            )
        reader = _READERS.get(name)
        return reader(delivery_id, body) if reader else None


def _read_ping(delivery_id: str, _: bytes) -> Event:
    return Event("ping", delivery_id)


def _read_pull_request(delivery_id: str, body: bytes) -> Event | None:
    payload = _parse_payload(_PullRequestPayload, body)
    if not payload.is_relevant():
        return None
    pull_request = payload.pull_request.to_host_pull_request()
    return _create_event("pull_request", delivery_id, payload, pull_request=pull_request)


def _read_delete(delivery_id: str, body: bytes) -> Event | None:
    payload = _parse_payload(_DeletePayload, body)
    if payload.ref_type != "branch":
        return None
    return _create_event("branch_deleted", delivery_id, payload, branch=payload.ref)


def _read_repository(delivery_id: str, body: bytes) -> Event | None:
    payload = _parse_payload(_RepositoryPayload, body)
    kind = _REPOSITORY_KINDS.get(payload.action)
    return _create_event(kind, delivery_id, payload) if kind else None


def _read_installation(delivery_id: str, body: bytes) -> Event | None:
    payload = _parse_payload(_InstallationPayload, body)
    if payload.action not in _INSTALLATION_END_ACTIONS:
        return None
    return Event("account_removed", delivery_id)


def _create_event(
    kind: EventKind,
    delivery_id: str,
    payload: _RepositoryPayload,
    **more: Any,  # noqa: ANN401 - Fields of an event.
) -> Event:
    repository = payload.repository
    return Event(kind, delivery_id, str(repository.id), repository.full_name, **more)


def _parse_payload(shape: type[Payload], body: bytes) -> Payload:
    try:
        return shape.model_validate_json(body)
    except ValidationError as error:
        fault = error.errors(include_input=False, include_url=False)[0]
        location = ".".join(str(part) for part in fault["loc"]) or "the document"
        raise HostResponseError(
            f"The delivery does not match GitHub's format: {location}: {fault['msg']}."
        ) from None


_READERS: Final[Mapping[str, Callable[[str, bytes], Event | None]]] = {
    "ping": _read_ping,
    "pull_request": _read_pull_request,
    "delete": _read_delete,
    "repository": _read_repository,
    "installation": _read_installation,
}
