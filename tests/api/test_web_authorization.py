"""Authorization of pages and buttons: anonymous, another organization, each role."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.test import Client

from tests.support.case import Case
from tests.support.every_page import PUBLIC, one_of_everything, page_urls, url_patterns
from tests.support.pages import signed_in
from tests.support.personas import Personas
from visual_review.accounts.models import Membership
from visual_review.audit.models import AuditEntry

ROLES = ("viewer", "reviewer", "admin", "owner")
# Of the user, in any organization.
PERSONAL = {
    "home",
    "components",
    "account",
    "account_change_password",
    "own_access",
    "own_sessions",
    "own_data",
    "delete_account",
    "mfa_index",
    "mfa_activate_totp",
    "mfa_deactivate_totp",
    "mfa_view_recovery_codes",
    "mfa_download_recovery_codes",
    "mfa_generate_recovery_codes",
    "mfa_list_webauthn",
    "mfa_add_webauthn",
    "mfa_remove_webauthn",
    "account_reauthenticate",
    "mfa_reauthenticate",
    "mfa_reauthenticate_webauthn",
    "switch_organization",
    "create_organization",
    "authorize",
    "apps",
    "connect_client",
}


# These pages respond to scripts; a script cannot follow a redirect to a form.
JSON = {
    *("build_index", "screenshot_details", "build_changes", "build_log"),
    *("approval_preview", "decide_screenshots", "undo_decision", "set_regions"),
    *("build_threads", "write_comment", "edit_comment", "resolve_thread"),
    *(
        "repository_image",
        "repository_thumbnail",
        "repository_diff",
        "build_thumbnails",
        "thumbnail",
        "build_events",
        "next_build",
    ),
}


@dataclass(frozen=True)
class Page:
    """A page by the name of its URL: the fields of its button, and the least role to press it."""

    name: str
    least: str = "viewer"
    fields: dict[str, str] | None = None
    opens: bool = True
    # Of a GET; an image redirects to its storage.
    status: int = 200


PAGES = (
    Page("search"),
    Page("repositories", "admin", {"fullName": "acme/other"}),
    Page("capture_default", "admin", {"themes": "dark"}, opens=False),
    Page("repository"),
    Page("repository_settings"),
    Page(
        "rename_repository", "admin", {"fullName": "acme/web", "defaultBranch": "next"}, opens=False
    ),
    Page("rotate_token", "admin", {}, opens=False),
    Page("remove_repository", "admin", {"name": "acme/web"}, opens=False),
    Page("repository_retention", "admin", {"buildsDays": "9"}, opens=False),
    Page("repository_capture", "admin", {"themes": "dark"}, opens=False),
    Page("repository_setting", "admin", {"setting": "counts_faint_changes"}, opens=False),
    Page("baselines"),
    Page("baseline"),
    Page("baseline_contents"),
    Page("baseline_version"),
    Page("story"),
    Page("story_of_screenshot", status=302),
    Page("restore_baseline", "reviewer", {"version": "1"}, opens=False),
    Page("build"),
    Page("build_index"),
    Page("screenshot_details"),
    Page("build_changes", status=400),
    Page("build_log"),
    Page("build_threads"),
    Page("approval_preview"),
    Page("build_events"),
    Page("next_build"),
    Page("composite", status=302),
    Page("outbox"),
    Page("regions"),
    Page("send_again", "admin", {}, opens=False),
    Page("run_job_again", "admin", {}, opens=False),
    Page("repository_host", "admin", {"reviewDueStatus": "failure"}, opens=False),
    Page("recordings"),
    Page("recordings_enrollment", "admin", {"operation": "disable"}, opens=False),
    Page("recording"),
    Page("delete_recording", "admin", {}, opens=False),
    Page("keys", "viewer", {"name": "k", "scope": "user"}),
    Page("members", "owner", {"email": "new@example.com", "role": "viewer"}),
    Page("change_role", "owner", {"role": "admin"}, opens=False),
    Page("remove_member", "owner", {}),
    Page("make_password_link", "owner", {}, opens=False),
    Page("revoke_invitation", "owner", {}, opens=False),
)
# Their URL is the same for every organization.
COMMON = {"search", "repositories", "capture_default", "keys", "members", "next_build"}
PAGES_WITH_ID = [page for page in PAGES if page.name not in COMMON]
# Pages with tests of their own, here and with their pages.
OTHERS = {
    *(
        "audit",
        "audit_download",
        "audit_retention",
        "revoke_key",
        "disconnect_app",
        "repository_identity",
    ),
    *("unpin_identity", "seen_tokens"),
    *("source_host", "change_host_credentials", "check_host", "host_repositories"),
    *("invite_from_provider", "github_app", "github_app_created", "github_app_installed"),
    *("renew_webhook_secret", "disconnect_host"),
    *("decide_screenshots", "undo_decision", "set_regions"),
    *("write_comment", "edit_comment", "resolve_thread"),
    *(
        "mail",
        "owners",
        "request_review",
        "channels",
        "channel",
        "change_channel",
        "send_event_again",
    ),
    *("storage", "measure_storage", "organization_retention", "failed_jobs"),
    *("sign_in_settings", "new_sign_in_provider", "sign_in_provider", "remove_sign_in_provider"),
    *(
        "repository_image",
        "repository_thumbnail",
        "repository_diff",
        "build_thumbnails",
        "thumbnail",
    ),
}


@pytest.fixture
def urls(personas: Personas) -> dict[str, str]:
    """Return the URL of each non-public page."""
    return page_urls(one_of_everything(personas))


def bob_in_each_role(personas: Personas) -> Iterator[tuple[str, Client]]:
    for role in ROLES:
        Membership.objects.filter(user=personas.bob.user).update(role=role)
        yield role, signed_in(personas.bob)


def test_every_page_is_in_these_tables() -> None:
    names = {pattern.name for pattern in url_patterns()}
    assert names == PUBLIC | PERSONAL | OTHERS | {page.name for page in PAGES}


def test_an_anonymous_visitor_is_sent_to_sign_in(
    case: Case, client: Client, urls: dict[str, str]
) -> None:
    before = AuditEntry.objects.count()
    for name, url in urls.items():
        with case(name):
            for response in (client.get(url), client.post(url, {"name": "acme/web"})):
                assert response.status_code in {401 if name in JSON else 302, 405}
                if response.status_code == 302:
                    assert response["Location"].startswith("/sign-in?next=/")
            assert AuditEntry.objects.count() == before


def test_each_role_can_use_only_its_pages_and_buttons(
    case: Case, personas: Personas, urls: dict[str, str]
) -> None:
    for role, client in bob_in_each_role(personas):
        for page in PAGES:
            with case(f"{page.name} as {role}"):
                url = urls[page.name]
                assert client.get(url).status_code == (page.status if page.opens else 405)
                if page.fields is None:
                    assert client.post(url).status_code == 405
                    continue
                before = AuditEntry.objects.count()
                status = client.post(url, page.fields).status_code
                if ROLES.index(role) < ROLES.index(page.least):
                    assert (status, AuditEntry.objects.count()) == (403, before)
                else:
                    assert status in {200, 302}
                    assert AuditEntry.objects.count() > before


def test_keys_of_the_organization_and_the_log_are_for_admins_and_owners(
    case: Case, personas: Personas, urls: dict[str, str]
) -> None:
    for role, client in bob_in_each_role(personas):
        with case(role):
            manages = role in {"admin", "owner"}
            assert client.get("/audit").status_code == (200 if manages else 403)
            revoke = urls["revoke_key"]
            assert client.get(revoke).status_code == (200 if manages else 404)
            assert client.post(revoke).status_code == (302 if manages else 404)


def test_a_members_app_is_disconnected_by_admins_and_owners(
    case: Case, personas: Personas, urls: dict[str, str]
) -> None:
    for role, client in bob_in_each_role(personas):
        with case(role):
            manages = role in {"admin", "owner"}
            assert ("An agent" in client.get("/account/apps").content.decode()) == manages
            url = urls["disconnect_app"]
            assert client.get(url).status_code == 405
            assert client.post(url).status_code == (302 if manages else 404)
            assert AuditEntry.objects.filter(verb="app.disconnected").exists() == manages


def test_another_organization_finds_no_app_of_ours(
    personas: Personas, urls: dict[str, str]
) -> None:
    client = signed_in(personas.mallory)
    assert "An agent" not in client.get("/account/apps").content.decode()
    assert client.post(urls["disconnect_app"]).status_code == 404


def test_another_organization_finds_nothing_of_ours(
    case: Case, personas: Personas, urls: dict[str, str]
) -> None:
    client = signed_in(personas.mallory)
    before = AuditEntry.objects.count()
    for page in PAGES_WITH_ID:
        with case(page.name):
            url = urls[page.name]
            if page.opens:
                assert client.get(url).status_code == 404
            if page.fields is not None:
                assert client.post(url, page.fields).status_code == 404
            assert AuditEntry.objects.count() == before


def test_a_changed_role_takes_effect_on_the_next_request(
    personas: Personas, urls: dict[str, str]
) -> None:
    client = signed_in(personas.bob)
    assert client.get(urls["build"]).status_code == 200
    Membership.objects.filter(user=personas.bob.user).update(role="viewer")
    decision = {"requestId": "r" * 20, "decision": "approved", "build": True}
    response = client.post(urls["decide_screenshots"], decision, "application/json")
    assert response.status_code == 403
    Membership.objects.filter(user=personas.bob.user).delete()
    assert client.get(urls["build"]).status_code == 403
