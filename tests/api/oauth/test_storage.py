"""The rows stored after a sign-in, and their deletion."""

import json
from datetime import timedelta

import pytest
from django.apps import apps
from django.db.models import QuerySet
from oauth2_provider.models import Application

from tests.support.oauth.flow import Flow, new_client
from tests.support.personas import Personas
from tests.support.saved_rows import dump_all_tables
from visual_review.accounts.models import AccessToken, Grant, RefreshToken, TokenFamily
from visual_review.accounts.oauth.cleanup import CODE_RETENTION, delete_expired
from visual_review.accounts.oauth.clients import UNUSED_CLIENT_LIFETIME
from visual_review.jobs.upkeep.delete_expired_access import delete_ended_access
from visual_review.kernel.clock import now

MINUTE = timedelta(minutes=1)


def test_codes_tokens_and_verifiers_are_stored_only_as_hashes(personas: Personas) -> None:
    flow = Flow.of(personas.bob)
    unused, code = flow.code(personas.bob), flow.code(personas.bob)
    tokens = json.loads(flow.exchange(code).content)
    refreshed = json.loads(flow.refresh(tokens["refresh_token"]).content)
    flow.exchange(code)
    stored = dump_all_tables()
    assert flow.client_id in stored
    for secret in (
        unused,
        code,
        flow.verifier,
        *(body[name] for body in (tokens, refreshed) for name in body if "_token" in name),
    ):
        assert len(secret) >= 30
        assert secret not in stored
        # Nor without the prefix.
        assert secret[-40:] not in stored


def test_the_tables_of_the_toolkit_for_codes_and_tokens_stay_empty(personas: Personas) -> None:
    flow = Flow.of(personas.bob)
    flow.refresh(flow.tokens(personas.bob)["refresh_token"])
    models = apps.get_app_config("oauth2_provider").get_models()
    filled = {model for model in models if QuerySet(model).exists()}
    assert filled == {Application}


def test_valid_tokens_are_kept(personas: Personas) -> None:
    flow = Flow.of(personas.bob)
    tokens = flow.tokens(personas.bob)
    flow.code(personas.bob)
    client_id = new_client()
    delete_ended_access(0)
    assert flow.refresh(tokens["refresh_token"]).status_code == 200
    assert TokenFamily.objects.count() == 2
    assert Application.objects.filter(client_id=client_id).exists()


def test_expired_access_is_deleted_step_by_step(personas: Personas) -> None:
    flow = Flow.of(personas.bob)
    flow.tokens(personas.bob)
    AccessToken.objects.update(expires_at=now() - MINUTE)
    delete_expired()
    assert not AccessToken.objects.exists()
    assert (RefreshToken.objects.count(), Grant.objects.count()) == (1, 1)
    # A family without tokens is kept while its code could be reused.
    RefreshToken.objects.update(expires_at=now() - MINUTE)
    delete_expired()
    assert (RefreshToken.objects.count(), TokenFamily.objects.count()) == (0, 1)
    TokenFamily.objects.update(code_expires_at=now() - CODE_RETENTION - MINUTE)
    Grant.objects.update(created_at=now() - CODE_RETENTION - MINUTE)
    delete_expired()
    assert not TokenFamily.objects.exists()
    assert not Grant.objects.exists()
    assert Application.objects.count() == 1
    Application.objects.update(updated=now() - UNUSED_CLIENT_LIFETIME - MINUTE)
    assert delete_expired().clients == 1
    assert not Application.objects.exists()


def test_an_old_client_with_a_grant_is_kept(personas: Personas) -> None:
    flow = Flow.of(personas.bob)
    flow.tokens(personas.bob)
    Application.objects.update(updated=now() - UNUSED_CLIENT_LIFETIME - MINUTE)
    delete_expired()
    assert Application.objects.exists()


@pytest.mark.usefixtures("db")
def test_a_deleted_client_gets_an_error_page(personas: Personas) -> None:
    flow = Flow.of(personas.bob)
    Application.objects.all().delete()
    response = flow.ask()
    assert response.status_code == 400
    assert "add it again" in response.content.decode()
