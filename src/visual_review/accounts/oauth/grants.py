"""Connected apps: create, change, list and revoke the grants of a person."""

from django.db.models import QuerySet

from visual_review.accounts.callers import Caller
from visual_review.accounts.models import Grant, Organization, User
from visual_review.accounts.oauth.clients import ClientRow, client_of
from visual_review.accounts.oauth.scopes import limit_scope, merge_consent
from visual_review.accounts.permissions import KEYS_MANAGE
from visual_review.audit.log import Actor, Change, Target, record
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError, ForbiddenError, NotFoundError

GRANT_UNKNOWN = "There is no connected app with this id."


def connect(
    caller: Caller, application: ClientRow, requested: str, granted: str
) -> tuple[Grant, str | None]:
    """Connect an app or change its scope; return the grant and its former scope.

    Raises ForbiddenError for a scope beyond the client's request or the person's permissions.
    """
    if caller.kind != "user":
        raise ForbiddenError("Only a person can connect an app.")
    offer = limit_scope(requested, caller.permissions)
    if not set(granted.split()) <= set(offer.split()):
        raise ForbiddenError(
            "Your role in this organization is read-only, so the app cannot make changes."
        )
    # One lock per organization: two simultaneous consents would otherwise create two grants.
    Organization.objects.select_for_update().get(pk=caller.organization_id)
    grant = Grant.objects.filter(
        user_id=caller.id,
        organization_id=caller.organization_id,
        application=application,
        disconnected_at=None,
    ).first()
    if grant is None:
        return _new_grant(caller, application, granted), None
    before = grant.scope
    grant.scope = merge_consent(before, offer, granted)
    grant.save(update_fields=["scope"])
    return grant, before


def _new_grant(caller: Caller, application: ClientRow, scope: str) -> Grant:
    return Grant.objects.create(
        user_id=caller.id,
        organization_id=caller.organization_id,
        application=application,
        scope=scope,
    )


def grants_visible_to(caller: Caller) -> QuerySet[Grant]:
    """The caller's connected apps, or all of the organization for key managers. Newest first."""
    grants = Grant.objects.filter(organization_id=caller.organization_id, disconnected_at=None)
    if not caller.may(KEYS_MANAGE):
        grants = grants.filter(user_id=caller.id)
    return grants.select_related("user", "application").order_by("-created_at", "-id")


def own_grants(person: User) -> QuerySet[Grant]:
    """A person's connected apps in all organizations, newest first."""
    grants = Grant.objects.filter(user=person, disconnected_at=None)
    return grants.select_related("organization", "application").order_by("-created_at", "-id")


def grants_of(person: User, application: ClientRow) -> QuerySet[Grant]:
    """A person's grants for a client."""
    grants = Grant.objects.filter(user=person, application=application, disconnected_at=None)
    return grants.select_related("organization").order_by("created_at", "id")


def grant_visible_to(caller: Caller, grant_id: str) -> Grant:
    """Return a visible grant; raises NotFoundError, with the same message for any other grant."""
    grant = grants_visible_to(caller).filter(pk=grant_id).first()
    if grant is None:
        raise NotFoundError(GRANT_UNKNOWN)
    return grant


def disconnect(caller: Caller, grant_id: str) -> Grant:
    """Revoke a grant with all its tokens. Raises NotFoundError, ConflictError."""
    grant = grant_visible_to(caller, grant_id)
    if not Grant.objects.filter(pk=grant.pk, disconnected_at=None).update(disconnected_at=now()):
        raise ConflictError("This app is already disconnected.")
    return grant


def app_target(grant: Grant) -> Target:
    return Target("connected_app", grant.id, client_of(grant.application).name)


def record_reuse(grant: Grant, what: str) -> None:
    """Record the reuse of a code or token, possibly stolen; its family was revoked."""
    change = Change("app.reuse_detected", app_target(grant), after={"reused": what})
    _record(grant, Actor("system", "stranger", "Someone", "mcp"), change)


def record_sign_out(grant: Grant) -> None:
    """Record that the client revoked its tokens."""
    actor = Actor("user", grant.user_id, str(grant.user), "mcp")
    _record(grant, actor, Change("app.signed_out", app_target(grant)))


def _record(grant: Grant, actor: Actor, change: Change) -> None:
    client = client_of(grant.application)
    through = Actor(
        actor.kind, actor.id, actor.name, actor.channel, client.name, client.client_id, grant.id
    )
    record(grant.organization_id, through, change)
