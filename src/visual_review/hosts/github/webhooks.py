"""Reads GitHub's webhook deliveries.

https://docs.github.com/webhooks/webhook-events-and-payloads
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from visual_review.hosts.errors import HostResponseError
from visual_review.hosts.github.schemas import PullRequest
from visual_review.hosts.port import Event, EventKind
from visual_review.hosts.signatures import header, hmac_sha256, require_same

SIGNATURE: Final = "X-Hub-Signature-256"
DELIVERY: Final = "X-GitHub-Delivery"
EVENT: Final = "X-GitHub-Event"
_PULL_REQUEST_ACTIONS: Final = frozenset({"opened", "reopened", "synchronize", "closed"})
_REPOSITORY_KINDS: Final[Mapping[str, EventKind]] = {
    "renamed": "repository_renamed",
    "transferred": "repository_transferred",
    "deleted": "repository_removed",
}
_ENDS_OF_AN_INSTALLATION: Final = frozenset({"deleted", "suspend"})
Payload = TypeVar("Payload", bound=BaseModel)


class _Repository(BaseModel):
    id: int
    full_name: str


class _OfRepository(BaseModel):
    action: str = ""
    repository: _Repository


class _PullRequestPayload(_OfRepository):
    pull_request: PullRequest
    changes: dict[str, Any] = {}

    def matters(self) -> bool:
        retargeted = self.action == "edited" and "base" in self.changes
        return retargeted or self.action in _PULL_REQUEST_ACTIONS


class _DeletePayload(_OfRepository):
    ref: str
    ref_type: str


class _InstallationPayload(BaseModel):
    action: str


class GitHubDeliveries:
    def check(self, headers: Mapping[str, str], body: bytes, secret: str) -> None:
        require_same(header(headers, SIGNATURE), f"sha256={hmac_sha256(body, secret)}", secret)

    def read(self, headers: Mapping[str, str], body: bytes) -> Event | None:
        delivery_id = header(headers, DELIVERY)
        name = header(headers, EVENT)
        if not delivery_id or not name:
            raise HostResponseError(f"A delivery of GitHub names itself by {DELIVERY} and {EVENT}.")
        if header(headers, "Content-Type").startswith("application/x-www-form-urlencoded"):
            raise HostResponseError(
                "The webhook sends forms. Set its content type to application/json at GitHub."
            )
        reader = _READERS.get(name)
        return reader(delivery_id, body) if reader else None


def _ping(delivery_id: str, _: bytes) -> Event:
    return Event("ping", delivery_id)


def _pull_request(delivery_id: str, body: bytes) -> Event | None:
    payload = _payload(_PullRequestPayload, body)
    if not payload.matters():
        return None
    return _event("pull_request", delivery_id, payload, pull_request=payload.pull_request.told())


def _delete(delivery_id: str, body: bytes) -> Event | None:
    payload = _payload(_DeletePayload, body)
    if payload.ref_type != "branch":
        return None
    return _event("branch_deleted", delivery_id, payload, branch=payload.ref)


def _repository(delivery_id: str, body: bytes) -> Event | None:
    payload = _payload(_OfRepository, body)
    kind = _REPOSITORY_KINDS.get(payload.action)
    return _event(kind, delivery_id, payload) if kind else None


def _installation(delivery_id: str, body: bytes) -> Event | None:
    payload = _payload(_InstallationPayload, body)
    if payload.action not in _ENDS_OF_AN_INSTALLATION:
        return None
    return Event("account_removed", delivery_id)


def _event(kind: EventKind, delivery_id: str, payload: _OfRepository, **more: Any) -> Event:  # noqa: ANN401 - Fields of an event.
    repository = payload.repository
    return Event(kind, delivery_id, str(repository.id), repository.full_name, **more)


def _payload(shape: type[Payload], body: bytes) -> Payload:
    try:
        return shape.model_validate_json(body)
    except ValidationError as error:
        fault = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in fault["loc"]) or "the whole"
        raise HostResponseError(
            f"The delivery is not what GitHub promises: {place}: {fault['msg']}."
        ) from None


_READERS: Final[Mapping[str, Callable[[str, bytes], Event | None]]] = {
    "ping": _ping,
    "pull_request": _pull_request,
    "delete": _delete,
    "repository": _repository,
    "installation": _installation,
}
