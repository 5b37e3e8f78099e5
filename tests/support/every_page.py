"""The URLs of every page, with one of everything that a page can show."""

import re

from django.urls import URLPattern

from tests.support.failed_jobs import fail_job
from tests.support.hosted_world import hosted_world
from tests.support.personas import Personas
from tests.support.recording_rows import enable, record
from tests.support.scenes import scene
from visual_review.accounts.keys import NewKey, create_key
from visual_review.accounts.models import Invitation, Membership, SignInProvider
from visual_review.accounts.oauth.client_rules import ClientMetadata
from visual_review.accounts.oauth.clients import register
from visual_review.accounts.oauth.grants import connect
from visual_review.builds.models import Baseline, Build, HostMessage
from visual_review.hosts.port import HostPerson
from visual_review.kernel.encryption import encrypt
from visual_review.messages.models import Delivery
from visual_review.web.urls import urlpatterns

# For everyone: signing in, pages of one-time links, and the client of the server.
PUBLIC = {
    "account_login",
    "account_logout",
    "account_inactive",
    "account_reset_password",
    "account_reset_password_done",
    "account_reset_password_from_key",
    "account_reset_password_from_key_done",
    "setup",
    "invitation",
    "client",
    "documentation",
    "documentation_page",
    "client_simple",
    "client_file",
    "mail_unsubscribe",
    "single_sign_on",
    "sign_in_start",
    "sign_in_callback",
    "sign_out_at_provider",
    "mfa_authenticate",
}


@scene
def one_of_everything(personas: Personas) -> dict[str, str]:
    """Create one of everything in Acme; return the ids by their names in URLs."""
    world = hosted_world(personas.alice)
    world.host.add_repository("acme/other")
    world.host.add_group("orgs/acme", "acme", HostPerson("dana", "Dana", "", ""))
    for color in ("red", "green"):
        world.approve(world.publish({"a": color}))
    build = world.publish({"a": "blue"})
    url, types = "https://example.com/events", ["comment.created"]
    channel = world.act("create_channel", kind="webhook", url=url, types=types)
    comment = world.act("write_comment", screenshotId=world.shot(build, "a").id, text="Why blue?")
    world.act("invite_member", email="dana@example.com", role="viewer")
    enable(world.repository)
    key, _ = create_key(personas.alice.caller, NewKey("organization", "k", ["repos:view"]))
    client = register(ClientMetadata("An agent", ("http://localhost/callback",)))
    grant, _ = connect(personas.carol.caller, client, "read", "read")
    return {
        "repository_id": world.repository.id,
        "build_id": build.id,
        "channel_id": channel.id,
        "delivery_id": str(Delivery.objects.latest("pk").pk),
        "comment_id": comment.comment_id,
        "thread_id": comment.thread_id,
        "baseline_id": Baseline.objects.get().id,
        "recording_id": record(world.repository).id,
        "screenshot_id": world.shot(build, "a").id,
        "suffix": "csv",
        "story_id": "a",
        "number": "1",
        "sha256": "0" * 64,
        "key": "0" * 64,
        "key_id": key.id,
        "job_id": str(_failed_job(build)),
        "message_id": HostMessage.objects.all()[0].id,
        "grant_id": grant.id,
        "user_id": personas.carol.user.id,
        "provider_id": _sign_in_provider(personas).id,
        "pk": "1",
        "membership_id": Membership.objects.get(user=personas.carol.user).id,
        "invitation_id": Invitation.objects.get().id,
    }


def _sign_in_provider(personas: Personas) -> SignInProvider:
    return SignInProvider.objects.create(
        organization=personas.alice.organization,
        name="Company",
        issuer="https://login.example.com",
        client_id="visual-review",
        client_secret=encrypt("secret"),
        domains=["example.com"],
        groups_claim="groups",
        group_roles={"frontend": "reviewer"},
    )


def _failed_job(build: Build) -> int:
    organization_id = build.repository.organization_id
    return fail_job("compare_build", build_id=build.id, organization_id=organization_id)


def url_patterns() -> list[URLPattern]:
    return [pattern for pattern in urlpatterns if isinstance(pattern, URLPattern)]


def page_urls(ids: dict[str, str]) -> dict[str, str]:
    """Return the URL of each non-public page, by name."""
    named = {pattern.name: str(pattern.pattern) for pattern in url_patterns() if pattern.name}
    return {
        name: "/" + re.sub(r"<(?:str|int|path):(\w+)>", lambda found: ids[found[1]], route)
        for name, route in named.items()
        if name not in PUBLIC
    }
