"""The first owner: one link, one use, one organization, even with simultaneous attempts."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from tests.support.personas import PASSWORD
from visual_review.accounts.models import Invitation, Membership, Organization, User
from visual_review.accounts.setup import (
    check_setup_link,
    create_first_owner,
    first_owner_needed,
    make_setup_link,
    use_setup_link,
)
from visual_review.audit.models import AuditEntry
from visual_review.kernel.errors import ConflictError, InvalidInputError, NotFoundError

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("without_personas")]
THREADS = 8


def secret_of(link: str) -> str:
    return link.rpartition("/")[2]


def test_the_setup_link_creates_an_owner_with_an_organization_once() -> None:
    secret = secret_of(make_setup_link())
    user = use_setup_link(secret, " Dana@Example.com ", PASSWORD, "Acme", "Dana")
    assert user.email == "dana@example.com"
    assert Membership.objects.get(user=user).role == "owner"
    assert not first_owner_needed()
    with pytest.raises(NotFoundError):
        check_setup_link(secret)
    assert list(AuditEntry.objects.order_by("id").values_list("verb", flat=True)) == [
        "organization.created",
        "member.joined",
    ]


def test_the_secret_of_the_link_is_not_in_the_database() -> None:
    secret = secret_of(make_setup_link())
    assert secret not in str(list(Invitation.objects.values()))


def test_only_the_newest_setup_link_works() -> None:
    old, new = secret_of(make_setup_link()), secret_of(make_setup_link())
    with pytest.raises(NotFoundError):
        check_setup_link(old)
    check_setup_link(new)


def test_no_link_is_created_once_an_owner_exists() -> None:
    create_first_owner("dana@example.com", PASSWORD, "Acme")
    with pytest.raises(ConflictError):
        make_setup_link()
    with pytest.raises(ConflictError):
        create_first_owner("eve@example.com", PASSWORD, "Other")


@pytest.mark.parametrize(
    ("email", "password", "organization"),
    [
        ("no address", PASSWORD, "Acme"),
        ("dana@example.com", "password", "Acme"),
        ("dana@example.com", PASSWORD, "  "),
    ],
)
def test_invalid_values_create_nothing(email: str, password: str, organization: str) -> None:
    link = make_setup_link()
    with pytest.raises(InvalidInputError):
        create_first_owner(email, password, organization)
    assert first_owner_needed()
    assert not User.objects.exists()
    check_setup_link(secret_of(link))


@pytest.mark.django_db(transaction=True)
def test_only_one_of_several_simultaneous_attempts_becomes_the_owner() -> None:
    together = Barrier(THREADS)

    def attempt(number: int) -> bool:
        together.wait()
        try:
            create_first_owner(f"owner{number}@example.com", PASSWORD, f"Acme {number}")
        except ConflictError:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(THREADS) as threads:
        assert sum(threads.map(attempt, range(THREADS))) == 1
    assert Organization.objects.count() == User.objects.count() == 1
