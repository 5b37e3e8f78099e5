"""Implements ``visual-review keys``; needs Django. Changes go through their actions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from visual_review.accounts.callers import Caller, caller_of_operator, caller_of_user
from visual_review.accounts.key_rules import is_live
from visual_review.accounts.keys import keys_visible_to
from visual_review.accounts.models import Organization, User
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.config.environment import StartupError
from visual_review.config.schema_version import check_migrations
from visual_review.kernel.clock import now, rfc3339
from visual_review.kernel.errors import VisualReviewError

CLIENT = "visual-review keys"


@dataclass(frozen=True)
class CreateKey:
    """``user`` is the e-mail address of the key's owner; empty for an organization's key."""

    name: str
    user: str = ""
    organization: str = ""
    permissions: Sequence[str] = ()
    expires_days: int | None = None


@dataclass(frozen=True)
class KeyRow:
    id: str
    name: str
    hint: str
    owner: str
    permissions: str
    expires: str
    last_used: str


def create(request: CreateKey) -> str:
    """Create a key and return it; raises StartupError."""
    check_migrations()
    payload: dict[str, object] = {
        "scope": "user" if request.user else "organization",
        "name": request.name,
        "permissions": list(request.permissions),
    }
    if request.expires_days is not None:
        payload["expiresDays"] = request.expires_days
    key: str = _run("create_api_key", _caller(request), payload).key
    return key


def list_live_keys(organization: str) -> list[KeyRow]:
    """List the currently valid keys, newest first."""
    check_migrations()
    moment = now()
    caller = caller_of_operator(_organization(organization, None).id)
    return [
        KeyRow(
            id=key.id,
            name=key.name,
            hint=f"{key.hint}...",
            owner=key.user.email if key.user else "organization",
            permissions=", ".join(key.permissions) or "as the role allows",
            expires=rfc3339(key.expires_at) if key.expires_at else "never",
            last_used=rfc3339(key.last_used_at) if key.last_used_at else "never",
        )
        for key in keys_visible_to(caller)
        if is_live(key.revoked_at, key.expires_at, moment)
    ]


def revoke(key_id: str, organization: str) -> str:
    """Revoke a key and return its name; raises StartupError."""
    check_migrations()
    caller = caller_of_operator(_organization(organization, None).id)
    name: str = _run("revoke_api_key", caller, {"keyId": key_id}).name
    return name


def _caller(request: CreateKey) -> Caller:
    if not request.user:
        return caller_of_operator(_organization(request.organization, None).id).through(
            "cli", CLIENT
        )
    user = User.objects.filter(email=request.user.strip().lower()).first()
    if user is None:
        raise StartupError(f"There is no account with the e-mail address {request.user}.")
    organization = _organization(request.organization, user)
    return caller_of_user(user, organization.id, "cli").through("cli", CLIENT)


def _organization(named: str, user: User | None) -> Organization:
    """Return the organization with this ID or name, or the only one (of the user)."""
    known = Organization.objects.order_by("name", "id")
    if user is not None:
        known = known.filter(memberships__user=user)
    found = [one for one in known if named in ("", one.id, one.name)]
    if len(found) == 1:
        return found[0]
    names = ", ".join(f"'{one.name}' ({one.id})" for one in known) or "none"
    if not found:
        raise StartupError(
            f"There is no organization '{named}'. Choose one of these with --organization: {names}."
        )
    raise StartupError(f"Choose an organization with --organization. There are: {names}.")


def _run(action: str, caller: Caller, payload: dict[str, object]) -> Any:  # noqa: ANN401 - Each action has its own result.
    try:
        return dispatch(any_action(action), caller, payload)
    except VisualReviewError as error:
        raise StartupError(str(error)) from error
