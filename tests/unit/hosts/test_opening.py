import pytest
from pytest_django.fixtures import Settings

from tests.support.case import Case
from visual_review.hosts.errors import HostAccessError, HostNotAllowedError
from visual_review.hosts.factory import CREDENTIAL_FIELDS, deliveries_of, open_host
from visual_review.hosts.memory import MemoryHost
from visual_review.hosts.port import KINDS

TOKEN = {"token": "t"}


@pytest.fixture(autouse=True)
def _source_hosts(settings: Settings) -> None:
    settings.SOURCE_HOSTS = ("memory://test", "https://code.acme.test/git")


@pytest.mark.parametrize("address", ["memory://test", "memory://test/", " memory://TEST"])
def test_a_named_address_is_opened(address: str) -> None:
    assert isinstance(open_host("memory", address, TOKEN), MemoryHost)


NOT_ALLOWED = [
    "memory://other",
    "https://code.acme.test",
    "http://code.acme.test/git",
    "https://code.acme.test/git/more",
    "https://code.acme.test:8443/git",
    "https://u@code.acme.test/git",
    "https://[",
    "",
]


def test_an_address_that_is_not_allowed_is_not_called(case: Case) -> None:
    for address in NOT_ALLOWED:
        refused = pytest.raises(HostNotAllowedError, match="VISUAL_REVIEW_SOURCE_HOSTS")
        with case(repr(address)), refused:
            open_host("gitea", address, TOKEN)


def test_credentials_that_lack_a_field_are_refused_with_its_name() -> None:
    with pytest.raises(HostAccessError, match="token"):
        open_host("memory", "memory://test", {"token": " "})


def test_an_unknown_kind_is_no_host() -> None:
    with pytest.raises(HostNotAllowedError, match="svn"):
        open_host("svn", "memory://test", TOKEN)
    with pytest.raises(HostNotAllowedError, match="svn"):
        deliveries_of("svn")


def test_every_kind_says_what_it_wants_to_know() -> None:
    assert set(CREDENTIAL_FIELDS) == set(KINDS)
