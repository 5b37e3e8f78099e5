"""Reads GitLab's webhook deliveries: of projects, of groups, and of the whole instance.

Field names are from GitLab's documentation of webhook events and system hooks.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Annotated, Final

from pydantic import AliasPath, BaseModel, BeforeValidator, Field, ValidationError

from visual_review.hosts.errors import HostResponseError, SignatureInvalidError
from visual_review.hosts.gitlab.schemas import pull_request_state
from visual_review.hosts.port import Event, EventKind, HostPullRequest
from visual_review.hosts.signatures import get_header, require_signature
from visual_review.kernel.clock import now

BRANCH: Final = "refs/heads/"
# The prefix of a signing token in the Standard Webhooks specification.
SIGNING_TOKEN: Final = "whsec_"  # noqa: S105 - A prefix, no secret.
# The specification recommends this tolerance; GitLab signs each attempt with its own time.
TIME_TOLERANCE: Final = timedelta(minutes=5)
# Enough for any date.
TIMESTAMP_DIGITS: Final = 12
PROJECT_EVENTS: Final[dict[str, EventKind]] = {
    "project_rename": "repository_renamed",
    "project_transfer": "repository_transferred",
    "project_destroy": "repository_removed",
}


def _normalize_time(value: object) -> object:
    """Convert the format of versions before 16, ``2013-12-03 17:23:34 UTC``."""
    if isinstance(value, str) and value.endswith(" UTC"):
        return f"{value.removesuffix(' UTC')}Z"
    return value


class Project(BaseModel):
    id: int
    path_with_namespace: str


class Kind(BaseModel):
    object_kind: str = ""
    event_name: str = ""


class MergeRequestFields(BaseModel):
    """``source`` is null when the fork was deleted."""

    iid: int
    title: str
    description: str | None = None
    state: str
    source_branch: str
    target_branch: str
    merge_commit_sha: str | None = None
    squash_commit_sha: str | None = None
    updated_at: Annotated[datetime | None, BeforeValidator(_normalize_time)] = None
    source: Project | None = None
    head_commit: str = Field(default="", validation_alias=AliasPath("last_commit", "id"))


class MergeRequestHook(BaseModel):
    project: Project
    object_attributes: MergeRequestFields


class PushHook(BaseModel):
    ref: str
    after: str
    project: Project


class ProjectHook(BaseModel):
    project_id: int
    path_with_namespace: str


class GitLabWebhookReader:
    """The webhook's secret is either its secret token or its signing token."""

    def verify_signature(self, headers: Mapping[str, str], body: bytes, secret: str) -> None:
        signatures = get_header(headers, "webhook-signature")
        if not signatures:
            require_signature(get_header(headers, "X-Gitlab-Token"), secret, secret)
            return
        timestamp = get_header(headers, "webhook-timestamp")
        text = f"{get_header(headers, 'webhook-id')}.{timestamp}.".encode() + body
        if not _is_signed(text, signatures, secret):
            raise SignatureInvalidError(
                "The delivery is not signed with the signing token of this webhook. Enter the "
                "secret from the settings under 'Git provider' at GitLab."
            )
        require_recent(timestamp, now())

    def may_be_genuine(self, headers: Mapping[str, str], secret: str) -> bool:
        if get_header(headers, "webhook-signature"):
            return True
        token = get_header(headers, "X-Gitlab-Token")
        return bool(secret) and hmac.compare_digest(token.encode(), secret.encode())

    def parse_event(self, headers: Mapping[str, str], body: bytes) -> Event | None:
        try:
            return _event(_delivery_id(headers, body), body)
        except ValidationError as error:
            raise HostResponseError("The delivery does not match GitLab's format.") from error


def require_recent(timestamp: str, moment: datetime) -> None:
    """Raise SignatureInvalidError unless the signed time is near ``moment``.

    Otherwise a recorded delivery could be sent again after its id has been deleted.
    """
    if not (timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= TIMESTAMP_DIGITS):
        raise SignatureInvalidError("The delivery has no valid time in 'webhook-timestamp'.")
    away = abs(int(timestamp) - moment.timestamp())
    if away > TIME_TOLERANCE.total_seconds():
        raise SignatureInvalidError(
            f"The delivery was signed {away:.0f} seconds away from this server's time; at most "
            f"{TIME_TOLERANCE.total_seconds():.0f} are accepted. If this is no repeated delivery, "
            "set the clocks of GitLab and of this server."
        )


def _is_signed(text: bytes, signatures: str, secret: str) -> bool:
    wanted = [
        b"v1," + base64.b64encode(hmac.digest(key, text, hashlib.sha256))
        for key in _candidate_keys(secret)
    ]
    return any(
        hmac.compare_digest(given.encode(), each) for given in signatures.split() for each in wanted
    )


def _candidate_keys(secret: str) -> Iterator[bytes]:
    """Yield the possible keys: the secret itself, and the key encoded in a signing token."""
    if not secret:
        return
    yield secret.encode()
    if secret.startswith(SIGNING_TOKEN):
        try:
            yield base64.b64decode(secret.removeprefix(SIGNING_TOKEN), validate=True)
        except binascii.Error:
            # A plain secret can look like a signing token.
            return


def _delivery_id(headers: Mapping[str, str], body: bytes) -> str:
    """Return an id repeated by retries; X-Gitlab-Event-UUID changes in some versions.

    With a signature only the signed id counts.
    """
    names = ("webhook-id", "Idempotency-Key", "X-Gitlab-Event-UUID")
    given = next((value for name in names if (value := get_header(headers, name))), "")
    return given or hashlib.sha256(body).hexdigest()


def _event(delivery_id: str, body: bytes) -> Event | None:
    kind = Kind.model_validate_json(body)
    if kind.object_kind == "merge_request":
        return _merge_request_event(delivery_id, MergeRequestHook.model_validate_json(body))
    if kind.object_kind == "push":
        return _push_event(delivery_id, PushHook.model_validate_json(body))
    if kind.event_name in PROJECT_EVENTS:
        project = ProjectHook.model_validate_json(body)
        return Event(
            kind=PROJECT_EVENTS[kind.event_name],
            delivery_id=delivery_id,
            repository_id=str(project.project_id),
            full_name=project.path_with_namespace,
        )
    return None


def _merge_request_event(delivery_id: str, hook: MergeRequestHook) -> Event:
    attributes = hook.object_attributes
    state = pull_request_state(attributes.state)
    # A fast-forward has neither commit, and a squash makes the head another commit: leave empty.
    merge_commit = attributes.merge_commit_sha or attributes.squash_commit_sha or ""
    pull_request = HostPullRequest(
        number=attributes.iid,
        title=attributes.title,
        state=state,
        head_branch=attributes.source_branch,
        head_repository=attributes.source.path_with_namespace if attributes.source else "",
        head_commit=attributes.head_commit,
        base_branch=attributes.target_branch,
        merge_commit=merge_commit if state == "merged" else "",
        updated_at=attributes.updated_at,
        description=attributes.description or "",
    )
    return Event(
        kind="pull_request",
        delivery_id=delivery_id,
        repository_id=str(hook.project.id),
        full_name=hook.project.path_with_namespace,
        pull_request=pull_request,
    )


def _push_event(delivery_id: str, hook: PushHook) -> Event | None:
    """Return the event of a deleted branch: a push whose new commit is all zeros."""
    if not hook.ref.startswith(BRANCH) or hook.after.strip("0"):
        return None
    return Event(
        kind="branch_deleted",
        delivery_id=delivery_id,
        repository_id=str(hook.project.id),
        full_name=hook.project.path_with_namespace,
        branch=hook.ref.removeprefix(BRANCH),
    )
