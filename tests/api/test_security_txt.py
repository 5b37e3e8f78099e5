"""The contact for vulnerabilities of an installation (RFC 9116)."""

from datetime import datetime, timedelta

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from visual_review.config.environment import EnvironmentInvalidError, read_environment
from visual_review.kernel.clock import now

URL = "/.well-known/security.txt"


def test_the_contact_is_served_and_does_not_expire_soon(client: Client, settings: Settings) -> None:
    settings.SECURITY_CONTACT = "mailto:security@example.com"
    response = client.get(URL)
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    fields = dict(line.split(": ", 1) for line in response.content.decode().splitlines())
    assert fields["Contact"] == "mailto:security@example.com"
    assert fields["Canonical"] == f"{settings.PUBLIC_URL}{URL}"
    expires = datetime.fromisoformat(fields["Expires"])
    assert timedelta(days=90) < expires - now() < timedelta(days=365)


def test_there_is_no_file_without_a_contact(client: Client, settings: Settings) -> None:
    settings.SECURITY_CONTACT = ""
    assert client.get(URL).status_code == 404


def test_a_contact_that_is_no_url_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL_REVIEW_SECURITY_CONTACT", "security@example.com")
    with pytest.raises(EnvironmentInvalidError, match="must be like 'mailto:"):
        read_environment()
