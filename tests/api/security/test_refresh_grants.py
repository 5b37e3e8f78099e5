"""An app that keeps refreshing its tokens must still ask the person again after a year."""

from datetime import timedelta

import pytest

from tests.support.oauth.assertions import assert_token_error, document_in, flow_of
from tests.support.oauth.flow import Flow
from tests.support.personas import Personas
from visual_review.accounts.models import RefreshToken, TokenFamily
from visual_review.accounts.oauth.lifetimes import FAMILY_LIFETIME
from visual_review.kernel.clock import now


@pytest.fixture
def flow(personas: Personas) -> Flow:
    return flow_of(personas.bob)


def consent_was(ago: timedelta) -> None:
    TokenFamily.objects.update(created_at=now() - ago)


def test_a_refresh_token_ends_a_year_after_the_consent(flow: Flow, personas: Personas) -> None:
    token = flow.tokens(personas.bob)["refresh_token"]
    assert timedelta(days=365) == FAMILY_LIFETIME
    consent_was(FAMILY_LIFETIME - timedelta(days=1))
    last = document_in(flow.refresh(token))["refresh_token"]
    # The newest token lasts no longer than the rest of the year, instead of the usual 90 days.
    assert RefreshToken.objects.latest("id").expires_at < now() + timedelta(days=2)
    consent_was(FAMILY_LIFETIME)
    # As a token of an earlier version, valid for 90 days from its creation.
    RefreshToken.objects.update(expires_at=now() + timedelta(days=80))
    response = flow.refresh(last)
    assert_token_error(response, "invalid_grant")
    assert "Sign in again" in document_in(response)["error_description"]


def test_signing_in_again_starts_a_new_year(flow: Flow, personas: Personas) -> None:
    flow.tokens(personas.bob)
    consent_was(FAMILY_LIFETIME)
    again = flow.tokens(personas.bob)
    assert document_in(flow.refresh(again["refresh_token"]))["access_token"]
