import pytest

from tests.support.case import Case
from visual_review.config.environment import StartupError
from visual_review.config.mail import read_mail


def test_without_a_url_mails_are_dropped_and_not_logged() -> None:
    mail = read_mail("")
    assert not mail.configured
    assert "dummy" in mail.backend


def test_all_parts_of_the_url_are_used() -> None:
    mail = read_mail(
        "smtp://me%40example.com:p%3Ass@mail.example.com:2525?tls=tls&from=a@example.com"
    )
    assert (mail.user, mail.password) == ("me@example.com", "p:ss")
    assert (mail.host, mail.port, mail.sender) == ("mail.example.com", 2525, "a@example.com")
    assert (mail.tls, mail.starttls) == (True, False)


@pytest.mark.parametrize(
    ("query", "port", "starttls"),
    [("", 587, True), ("?tls=tls", 465, False), ("?tls=none", 25, False)],
)
def test_the_port_follows_the_kind_of_encryption(query: str, port: int, starttls: bool) -> None:  # noqa: FBT001 - A row of the table.
    mail = read_mail(f"smtp://mail.example.com{query}")
    assert (mail.port, mail.starttls) == (port, starttls)


def test_an_invalid_url_is_rejected_with_an_example(case: Case) -> None:
    for url in (
        "http://mail",
        "smtp://",
        "smtp://mail?tls=maybe",
        "smtp://mail:port",
        "mail.example.com",
    ):
        with case(url), pytest.raises(StartupError, match="smtp://user:password@"):
            read_mail(url)
