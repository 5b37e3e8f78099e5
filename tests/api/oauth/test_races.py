"""Simultaneous requests of one client and of people, with a real PostgreSQL."""

import json
from functools import partial

import pytest
from django.http import HttpResponse

from tests.support.database import current_personas
from tests.support.depth import rounds
from tests.support.oauth.flow import Flow, new_client
from tests.support.personas import Personas
from tests.support.threads import Racers
from visual_review.accounts.bearer_credentials import caller_of_bearer
from visual_review.accounts.models import Grant, RefreshToken, TokenFamily
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.audit.models import AuditEntry
from visual_review.kernel.errors import UnauthenticatedError

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.search,
    pytest.mark.usefixtures("without_rate_limits"),
]
ROUNDS = rounds(ordinary=3, deep=10)


@pytest.fixture
def personas() -> Personas:
    return current_personas()


def tokens_in(response: HttpResponse) -> dict[str, str]:
    assert response.status_code == 200, response.content
    return dict(json.loads(response.content))


def test_two_processes_that_refresh_simultaneously_stay_signed_in(
    personas: Personas, two_threads: Racers
) -> None:
    flow = Flow.of(personas.bob)
    refresh_token = flow.tokens(personas.bob)["refresh_token"]
    for _ in range(ROUNDS):
        answers = two_threads.race(*[partial(flow.refresh, refresh_token)] * 2)
        first, second = (tokens_in(answer) for answer in answers)
        assert first["refresh_token"] != second["refresh_token"]
        for tokens in (first, second):
            assert caller_of_bearer(tokens["access_token"]).id == personas.bob.user.id
            assert flow.refresh(tokens["refresh_token"]).status_code == 200
        refresh_token = first["refresh_token"]
    assert TokenFamily.objects.get().ended_at is None
    assert not AuditEntry.objects.filter(verb="app.reuse_detected").exists()


def test_two_simultaneous_exchanges_of_a_code_revoke_its_tokens(
    personas: Personas, two_threads: Racers
) -> None:
    flow = Flow.of(personas.bob)
    for _ in range(ROUNDS):
        code = flow.code(personas.bob)
        answers = two_threads.race(*[partial(flow.exchange, code)] * 2)
        assert sorted(answer.status_code for answer in answers) == [200, 400]
        won = next(answer for answer in answers if answer.status_code == 200)
        with pytest.raises(UnauthenticatedError):
            caller_of_bearer(tokens_in(won)["access_token"])
    assert AuditEntry.objects.filter(verb="app.reuse_detected").count() == ROUNDS


def test_a_refresh_during_a_disconnection_leaves_no_valid_token(
    personas: Personas, two_threads: Racers
) -> None:
    flow = Flow.of(personas.bob)
    for _ in range(ROUNDS):
        tokens = flow.tokens(personas.bob)
        grant = Grant.objects.get(disconnected_at=None)

        def disconnect(grant_id: str = grant.id) -> HttpResponse:
            dispatch(any_action("disconnect_app"), personas.bob.caller, {"grantId": grant_id})
            return HttpResponse(status=204)

        refreshed, _ = two_threads.race(partial(flow.refresh, tokens["refresh_token"]), disconnect)
        left = [tokens]
        if refreshed.status_code == 200:
            left.append(tokens_in(refreshed))
        for each in left:
            with pytest.raises(UnauthenticatedError):
                caller_of_bearer(each["access_token"])
            assert flow.refresh(each["refresh_token"]).status_code == 400


def test_two_simultaneous_consents_create_one_grant(
    personas: Personas, two_threads: Racers
) -> None:
    client_id = new_client()
    flows = [Flow.of(personas.bob, client_id) for _ in range(2)]
    answers = two_threads.race(*[partial(flow.decide, personas.bob) for flow in flows])
    assert {answer.status_code for answer in answers} == {200}
    assert Grant.objects.count() == 1
    assert TokenFamily.objects.count() == 2
    assert RefreshToken.objects.count() == 0
