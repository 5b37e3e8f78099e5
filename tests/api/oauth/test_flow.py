"""The whole flow: registration, sign-in, consent and tokens."""

import json

from django.test import Client

from tests.support.oauth.flow import Flow, response_parameters
from tests.support.personas import PASSWORD, Personas
from visual_review.accounts.bearer_credentials import caller_of_bearer
from visual_review.accounts.models import Grant
from visual_review.accounts.oauth.resource import issuer
from visual_review.audit.models import AuditEntry


def test_a_registered_client_gets_tokens_that_act_for_the_person(personas: Personas) -> None:
    flow = Flow.of(personas.bob)
    page = flow.ask()
    assert page.status_code == 200
    assert "Test client" in page.content.decode()
    parameters = response_parameters(flow.decide(personas.bob))
    assert parameters["state"] == "a state"
    assert parameters["iss"] == issuer()
    response = flow.exchange(parameters["code"])
    tokens = json.loads(response.content)
    assert tokens["token_type"] == "Bearer"
    assert tokens["expires_in"] == 3600
    assert tokens["scope"] == "read write"
    assert tokens["access_token"].startswith("vr_access_")
    assert tokens["refresh_token"].startswith("vr_refresh_")
    assert response["Cache-Control"] == "no-store"

    caller = caller_of_bearer(tokens["access_token"])
    grant = Grant.objects.get()
    assert (caller.kind, caller.id, caller.channel) == ("user", personas.bob.user.id, "mcp")
    assert (caller.client, caller.client_id) == ("Test client", flow.client_id)
    assert (caller.grant_id, caller.withheld) == (grant.id, frozenset())
    assert caller.permissions == {
        "repos:view",
        "builds:view",
        "builds:review",
        "recordings:view",
    }
    entry = AuditEntry.objects.get(verb="app.connected")
    assert (entry.actor_id, entry.target_id) == (personas.bob.user.id, grant.id)


def test_an_anonymous_person_signs_in_first(client: Client, personas: Personas) -> None:
    flow = Flow.of(personas.bob)
    redirect = client.get(flow.url())
    assert redirect.status_code == 302
    back = client.post(
        redirect["Location"], {"login": personas.bob.user.email, "password": PASSWORD}
    )
    assert back["Location"] == flow.url()
    assert client.get(back["Location"]).status_code == 200
