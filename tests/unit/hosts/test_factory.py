import pytest
from pytest_django.fixtures import Settings
from scripts.local_host.memory import MemoryHost

from tests.support.case import Case
from visual_review.hosts.errors import HostAccessError, HostNotAllowedError
from visual_review.hosts.factory import HOST_KINDS, open_host, webhook_reader_of
from visual_review.hosts.port import KINDS

TOKEN = {"token": "t"}


@pytest.fixture(autouse=True)
def _source_hosts(settings: Settings) -> None:
    settings.SOURCE_HOSTS = ("memory://test", "https://code.acme.test/git")


@pytest.mark.parametrize("url", ["memory://test", "memory://test/", " memory://TEST"])
def test_an_allowed_url_is_opened(url: str) -> None:
    assert isinstance(open_host("memory", url, TOKEN), MemoryHost)


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


def test_a_url_that_is_not_allowed_is_rejected(case: Case) -> None:
    for url in NOT_ALLOWED:
        rejected = pytest.raises(HostNotAllowedError, match="VISUAL_REVIEW_SOURCE_HOSTS")
        with case(repr(url)), rejected:
            open_host("gitea", url, TOKEN)


def test_credentials_without_a_field_are_rejected_with_its_name() -> None:
    with pytest.raises(HostAccessError, match="token"):
        open_host("memory", "memory://test", {"token": " "})


def test_an_unknown_kind_is_rejected() -> None:
    with pytest.raises(HostNotAllowedError, match="svn"):
        open_host("svn", "memory://test", TOKEN)
    with pytest.raises(HostNotAllowedError, match="svn"):
        webhook_reader_of("svn")


def test_every_kind_lists_its_credential_fields() -> None:
    assert set(HOST_KINDS) == set(KINDS)
