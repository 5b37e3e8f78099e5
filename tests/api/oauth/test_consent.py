"""Consent: the page, the possible grants, and the entries in the audit log."""

import json

from django.test import Client
from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.oauth.flow import Flow, new_client, response_parameters
from tests.support.pages import signed_in
from tests.support.personas import Personas
from visual_review.accounts.bearer_credentials import caller_of_bearer
from visual_review.accounts.models import Grant, Membership, TokenFamily
from visual_review.audit.models import AuditEntry


def test_the_page_shows_the_client_and_where_the_response_goes(personas: Personas) -> None:
    flow = Flow.of(personas.bob, new_client(client_name="<b>Claude</b>"))
    response = flow.ask()
    page = response.content.decode()
    assert "&lt;b&gt;Claude&lt;/b&gt;" in page
    assert "notice--warning" in page
    assert response.context["client"].host == ""
    assert response.context["redirect"].kind == "loopback"
    assert "127.0.0.1" in page
    assert personas.bob.user.email in page
    assert "Acme" in page
    assert "Evil Corp" not in page


def test_the_page_cannot_be_framed_and_its_form_stays_on_the_site(personas: Personas) -> None:
    response = Flow.of(personas.bob).ask()
    policy = response["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self'" in policy
    assert response["X-Frame-Options"] == "DENY"
    assert "no-store" in response["Cache-Control"]
    assert response["Referrer-Policy"] == "strict-origin"


def test_a_decision_from_another_site_is_refused(personas: Personas) -> None:
    flow = Flow.of(personas.bob)
    forger = Client(enforce_csrf_checks=True)
    forger.force_login(personas.bob.user)
    form = {"organization": personas.bob.organization.id, "access": "changes", "decision": "allow"}
    response = forger.post(flow.url(), form, headers={"Origin": "https://evil.example"})
    assert response.status_code == 403
    assert not Grant.objects.exists()
    # The same form with the token of the page is accepted.
    forger.get(flow.url())
    form["csrfmiddlewaretoken"] = forger.cookies["csrftoken"].value
    assert forger.post(flow.url(), form).status_code == 200
    assert Grant.objects.exists()


def test_consent_is_required_every_time(personas: Personas) -> None:
    flow = Flow.of(personas.bob)
    flow.tokens(personas.bob)
    again = flow.ask()
    assert again.status_code == 200
    assert [grant.organization.name for grant in again.context["connected"]] == ["Acme"]
    assert 'id="continue"' not in again.content.decode()


def test_users_can_grant_less_than_requested(personas: Personas) -> None:
    tokens = Flow.of(personas.alice).tokens(personas.alice, "read")
    assert tokens["scope"] == "read"
    caller = caller_of_bearer(tokens["access_token"])
    assert caller.permissions == {"repos:view", "builds:view", "recordings:view"}
    assert caller.withheld == {"repos:manage", "builds:review", "recordings:manage"}


def test_users_cannot_grant_more_than_requested(personas: Personas) -> None:
    tokens = Flow.of(personas.alice).tokens(personas.alice, "changes", scope="read")
    assert tokens["scope"] == "read"


def test_a_viewer_can_grant_only_read(personas: Personas) -> None:
    flow = Flow.of(personas.carol)
    page = flow.ask()
    assert not page.context["form"].offers_changes
    assert page.context["asks_changes"]
    assert flow.tokens(personas.carol, "changes")["scope"] == "read"


def test_the_role_in_the_chosen_organization_applies(personas: Personas) -> None:
    Membership.objects.create(
        user=personas.carol.user, organization=personas.mallory.organization, role="owner"
    )
    flow = Flow.of(personas.carol)
    assert {choice.name: choice.may_change for choice in flow.ask().context["choices"]} == {
        "Acme": False,
        "Evil Corp": True,
    }
    refused = flow.decide(personas.carol)
    assert refused.status_code == 400
    assert "As viewer of Acme" in refused.content.decode()
    assert not Grant.objects.exists()
    tokens = json.loads(flow.exchange(flow.code(personas.mallory)).content)
    assert tokens["scope"] == "read write"
    caller = caller_of_bearer(tokens["access_token"])
    assert caller.organization_id == personas.mallory.organization.id


def test_only_own_organizations_can_be_chosen(personas: Personas, case: Case) -> None:
    flow = Flow.of(personas.bob)
    for name, organization in (
        ("none", ""),
        ("an unknown one", "org_00000000000000000000000000"),
        ("another one", personas.mallory.organization.id),
    ):
        with case(name):
            form = {"organization": organization, "access": "read", "decision": "allow"}
            assert flow.browser.post(flow.url(), form).status_code == 400
            assert not Grant.objects.exists()


def test_a_person_without_organization_has_nothing_to_grant(personas: Personas) -> None:
    Membership.objects.filter(user=personas.bob.user).delete()
    flow = Flow.of(personas.bob)
    assert flow.ask().status_code == 403
    assert flow.decide(personas.bob).status_code == 403


def test_a_denial_is_sent_to_the_client_and_recorded(personas: Personas) -> None:
    flow = Flow.of(personas.bob)
    answer = response_parameters(flow.decide(personas.bob, decision="refuse"))
    assert answer["error"] == "access_denied"
    assert answer["state"] == "a state"
    entry = AuditEntry.objects.get(verb="app.refused")
    assert (entry.actor_id, entry.target_id) == (personas.bob.user.id, flow.client_id)
    assert entry.organization_id == personas.bob.organization.id
    assert not TokenFamily.objects.exists()


def test_unknown_decisions_are_denials(personas: Personas, case: Case) -> None:
    flow = Flow.of(personas.bob)
    for decision in ("", "maybe"):
        with case(f"decision={decision}"):
            response = flow.decide(personas.bob, decision=decision)
            assert response_parameters(response)["error"] == "access_denied"


def test_a_second_consent_extends_the_same_grant(personas: Personas) -> None:
    flow = Flow.of(personas.bob)
    first = flow.tokens(personas.bob, "read")
    grant = Grant.objects.get()
    second = flow.tokens(personas.bob, "changes")
    assert Grant.objects.get().id == grant.id
    assert Grant.objects.get().scope == "read write"
    assert caller_of_bearer(second["access_token"]).may("builds:review")
    # Earlier tokens are not extended.
    assert not caller_of_bearer(first["access_token"]).may("builds:review")
    entries = AuditEntry.objects.filter(verb="app.connected").order_by("id")
    assert [(entry.before, (entry.after or {})["scope"]) for entry in entries] == [
        (None, "read"),
        ({"scope": "read"}, "read write"),
    ]


def test_a_scope_declined_later_is_removed_immediately(personas: Personas) -> None:
    flow = Flow.of(personas.bob)
    wide = flow.tokens(personas.bob, "changes")
    flow.decide(personas.bob, "read")
    assert not caller_of_bearer(wide["access_token"]).may("builds:review")
    refreshed = json.loads(flow.refresh(wide["refresh_token"]).content)
    assert refreshed["scope"] == "read"


def test_a_request_for_read_removes_nothing(personas: Personas) -> None:
    flow = Flow.of(personas.bob)
    wide = flow.tokens(personas.bob, "changes")
    flow.tokens(personas.bob, "read", scope="read")
    assert caller_of_bearer(wide["access_token"]).may("builds:review")


def test_each_person_and_organization_has_its_own_grant(personas: Personas) -> None:
    client_id = new_client()
    Flow.of(personas.alice, client_id).tokens(personas.alice)
    Flow.of(personas.bob, client_id).tokens(personas.bob)
    Membership.objects.create(
        user=personas.bob.user, organization=personas.mallory.organization, role="viewer"
    )
    Flow.of(personas.bob, client_id).tokens(personas.mallory, "read")
    assert Grant.objects.count() == 3


def test_decisions_are_rate_limited(personas: Personas, settings: Settings) -> None:
    limits = settings.ACCOUNT_RATE_LIMITS
    assert limits["ask_consent"] == "60/m/user"
    settings.ACCOUNT_RATE_LIMITS = {**limits, "ask_consent": "3/m/user"}
    flow = Flow(new_client(), signed_in(personas.bob))
    statuses = [flow.decide(personas.bob).status_code for _ in range(4)]
    assert statuses == [200, 200, 200, 429]
