"""``visual-review organizations`` creates and lists organizations, and lets people in again."""

import pytest

from tests.support.database import current_personas
from tests.support.personas import Personas
from tests.support.servers.in_process_commands import run_in_process
from tests.support.servers.service import run
from tests.support.servers.worker import database_environment
from visual_review.accounts.models import Organization
from visual_review.audit.models import AuditEntry


@pytest.mark.django_db(transaction=True)
def test_the_link_is_printed_alone_and_the_organization_is_listed() -> None:
    assert current_personas()
    variables = database_environment(VISUAL_REVIEW_PUBLIC_URL="https://reviews.example.org")
    arguments = ["organizations", "create", "Globex", "--owner", "dana@example.com"]
    done = run(arguments, variables)
    assert done.code == 0, done.err
    assert done.out.startswith("https://reviews.example.org/invitations/")
    assert done.out.count("\n") == 1
    organization = Organization.objects.get(name="Globex")
    assert f"'Globex' ({organization.id}) was created." in done.err
    listed = run_in_process(["organizations", "list"], database_environment())
    (row,) = [line for line in listed.out.splitlines() if organization.id in line]
    assert "dana@example.com (invited)" in row


def test_an_owner_with_an_account_needs_no_link(personas: Personas) -> None:
    arguments = ["organizations", "create", "Globex", "--owner", personas.carol.user.email]
    done = run_in_process(arguments, database_environment())
    assert (done.code, done.out) == (0, "")
    assert "carol@example.com is its owner." in done.err
    again = run_in_process(arguments, database_environment())
    assert again.code == 2
    assert "carol@example.com already owns an organization 'Globex'" in again.err


def test_without_a_database_it_says_what_to_set() -> None:
    done = run_in_process(["organizations", "list"])
    assert done.code == 2
    assert "VISUAL_REVIEW_DATABASE_URL" in done.err


def test_passwords_are_allowed_again(personas: Personas) -> None:
    acme = personas.alice.organization
    Organization.objects.filter(pk=acme.pk).update(password_owner=personas.alice.user)
    done = run_in_process(["organizations", "allow-passwords", acme.pk], database_environment())
    assert (done.code, done.err) == (0, "Members of 'Acme' may sign in with a password again.\n")
    acme.refresh_from_db()
    assert acme.password_owner is None
    entry = AuditEntry.objects.get(verb="organization.sign_in_policy_changed")
    assert (entry.actor_name, entry.channel) == ("Command line", "cli")
    unknown = run_in_process(["organizations", "allow-passwords", "x"], database_environment())
    assert unknown.code == 2
    assert "There is no organization 'x'." in unknown.err


def test_the_limits_of_an_organization_are_set_shown_and_reset(personas: Personas) -> None:
    acme = personas.alice.organization
    command, variables = ["organizations", "set-quota", acme.pk], database_environment()
    done = run_in_process([*command, "--builds-per-day", "5", "--stored-gb", "9"], variables)
    limits = "Acme: GB stored: 9, builds a day: 5, megapixels a day: no limit\n"
    assert (done.code, done.out) == (0, limits)
    entry = AuditEntry.objects.get(verb="organization.quota_changed")
    assert entry.before == {"stored_gigabytes": 0, "builds": 0, "megapixels": 0}
    assert entry.after == {"stored_gigabytes": 9, "builds": 5, "megapixels": 0}
    assert run_in_process(command, variables).out == limits
    assert AuditEntry.objects.count() == 1
    done = run_in_process([*command, "--reset", "--builds-per-day", "7"], variables)
    assert "GB stored: no limit, builds a day: 7" in done.out
    assert run_in_process([*command, "--stored-gb", "-1"], variables).code == 2
