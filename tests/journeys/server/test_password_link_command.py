"""``visual-review password-link`` lets a person choose a new password."""

import pytest
from django.test import Client

from tests.support.database import current_personas
from tests.support.pages import path_of
from tests.support.servers.service import run
from tests.support.servers.worker import database_environment
from visual_review.accounts.models import User

NEW_PASSWORD = "another long enough phrase"

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_link_is_printed_alone_and_works(settings: object) -> None:
    settings.SECRET_KEY = "s" * 40  # type: ignore[attr-defined]
    bob = current_personas().bob.user
    variables = database_environment(
        VISUAL_REVIEW_SECRET_KEY="s" * 40, VISUAL_REVIEW_PUBLIC_URL="https://reviews.example.org"
    )
    done = run(["password-link", bob.email], variables)
    assert done.code == 0, done.err
    assert done.out.startswith("https://reviews.example.org/password/reset/key/")
    assert done.out.count("\n") == 1
    client = Client()
    form = client.get(path_of(done.out.strip()), follow=True)
    values = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    client.post(form.request["PATH_INFO"], values)
    assert User.objects.get(pk=bob.pk).check_password(NEW_PASSWORD)
    missing = run(["password-link", "nobody@example.com"], variables)
    assert (missing.code, missing.out) == (2, "")
    assert "There is no account with the e-mail address nobody@example.com." in missing.err
