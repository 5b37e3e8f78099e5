"""Connected apps: giving, widening, listing and ending a person's grants."""

from django.db.models import QuerySet

from visual_review.accounts.callers import Caller
from visual_review.accounts.models import Grant, Organization, User
from visual_review.accounts.oauth.clients import ClientRow, client_of
from visual_review.accounts.oauth.scopes import granted_now, offered
from visual_review.accounts.permissions import KEYS_MANAGE
from visual_review.audit.log import Actor, Change, Target, record
from visual_review.kernel.clock import now
from visual_review.kernel.errors import ConflictError, ForbiddenError, NotFoundError

GRANT_UNKNOWN = "There is no connected app with this id."


def connect(
    caller: Caller, application: ClientRow, asked: str, granted: str
) -> tuple[Grant, str | None]:
    """Let a client in, or change what it may; returns the grant and its former scope.

    Raises ForbiddenError for more than the client asked for or the person can give.
    """
    if caller.kind != "user":
        raise ForbiddenError("Only a person can connect an app.")
    offer = offered(asked, caller.permissions)
    if not set(granted.split()) <= set(offer.split()):
        raise ForbiddenError(
            "Your role in this organization only allows to see, so the app cannot make changes."
        )
    # One lock per organization: two consents at once would otherwise make two grants.
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
    grant.scope = granted_now(before, offer, granted)
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
    """Own connected apps; for those who manage keys, all of the organization. Newest first."""
    grants = Grant.objects.filter(organization_id=caller.organization_id, disconnected_at=None)
    if not caller.may(KEYS_MANAGE):
        grants = grants.filter(user_id=caller.id)
    return grants.select_related("user", "application").order_by("-created_at", "-id")


def own_grants(person: User) -> QuerySet[Grant]:
    """A person's connected apps in all organizations, newest first."""
    grants = Grant.objects.filter(user=person, disconnected_at=None)
    return grants.select_related("organization", "application").order_by("-created_at", "-id")


def grants_of(person: User, application: ClientRow) -> QuerySet[Grant]:
    """Where a person has let this client in before."""
    grants = Grant.objects.filter(user=person, application=application, disconnected_at=None)
    return grants.select_related("organization").order_by("created_at", "id")


def grant_visible_to(caller: Caller, grant_id: str) -> Grant:
    """One of them; raises NotFoundError, in the same words whosever it is."""
    grant = grants_visible_to(caller).filter(pk=grant_id).first()
    if grant is None:
        raise NotFoundError(GRANT_UNKNOWN)
    return grant


def disconnect(caller: Caller, grant_id: str) -> Grant:
    """End a grant: its tokens are refused from now on. Raises NotFoundError, ConflictError."""
    grant = grant_visible_to(caller, grant_id)
    if not Grant.objects.filter(pk=grant.pk, disconnected_at=None).update(disconnected_at=now()):
        raise ConflictError("This app was disconnected before.")
    return grant


def app_target(grant: Grant) -> Target:
    return Target("connected_app", grant.id, client_of(grant.application).name)


def record_reuse(grant: Grant, what: str) -> None:
    """A code or token came twice, so somebody else has it: its family was ended."""
    change = Change("app.reuse_detected", app_target(grant), after={"reused": what})
    _note(grant, Actor("system", "stranger", "Somebody", "mcp"), change)


def record_sign_out(grant: Grant) -> None:
    """The client gave its tokens back."""
    actor = Actor("user", grant.user_id, str(grant.user), "mcp")
    _note(grant, actor, Change("app.signed_out", app_target(grant)))


def _note(grant: Grant, actor: Actor, change: Change) -> None:
    client = client_of(grant.application)
    through = Actor(
        actor.kind, actor.id, actor.name, actor.channel, client.name, client.client_id, grant.id
    )
    record(grant.organization_id, through, change)
