"""Settings of Git providers, charges and images from environment variables."""

import pytest

from tests.support.case import Case
from visual_review.billing.prices import Price
from visual_review.config.environment import (
    EnvironmentInvalidError,
    read_environment,
)
from visual_review.imagediff import DEFAULT_LIMITS

HOSTS = "VISUAL_REVIEW_SOURCE_HOSTS"
IMAGE_LIMITS = ("VISUAL_REVIEW_IMAGE_MAX_PIXELS", "VISUAL_REVIEW_IMAGE_MAX_SIDE")
STRIPE = {
    f"VISUAL_REVIEW_STRIPE_{name}": f"value of {name}"
    for name in ("SECRET_KEY", "WEBHOOK_SECRET", "CUSTOMER", "PRODUCT")
}


@pytest.fixture(autouse=True)
def empty_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (HOSTS, "VISUAL_REVIEW_RECORDINGS_PRICE", *STRIPE):
        monkeypatch.delenv(name, raising=False)


def test_the_public_providers_are_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "https://github.com" in read_environment().source_hosts
    monkeypatch.setenv(HOSTS, "https://Git.Example.com:8443/Forge/  http://demo\nhttp://git.lan")
    assert read_environment().source_hosts == (
        "https://git.example.com:8443/Forge",
        "http://demo",
        "http://git.lan",
    )
    monkeypatch.setenv(HOSTS, "")
    assert read_environment().source_hosts == ()


@pytest.mark.parametrize(
    "text",
    [
        *("git.example.com", "https://", "ftp://git.example.com", "file:///etc", "https:git.lan"),
        *("https://who:hidden@git.lan", "https://git.lan?token=hidden", "https://git.lan#hidden"),
        *("https://git.lan:port", "https://git.lan:99999", "https://[::1", "https://a,https://b"),
    ],
)
def test_an_invalid_provider_url_is_rejected_without_being_shown(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv(HOSTS, f"https://github.com {text}")
    with pytest.raises(EnvironmentInvalidError, match=f"URL 2 in {HOSTS}") as raised:
        read_environment()
    assert "hidden" not in str(raised.value)


def test_stripe_needs_all_of_its_settings_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_environment().payments is None
    for name, value in STRIPE.items():
        monkeypatch.setenv(name, value)
    payments = read_environment().payments
    assert payments is not None
    assert payments.secret_key == "value of SECRET_KEY"
    monkeypatch.delenv("VISUAL_REVIEW_STRIPE_CUSTOMER")
    with pytest.raises(EnvironmentInvalidError, match="STRIPE_CUSTOMER too") as raised:
        read_environment()
    assert "value of" not in str(raised.value)


def test_recordings_are_free_unless_a_price_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_environment().recordings_price == Price(0, "EUR")
    monkeypatch.setenv("VISUAL_REVIEW_RECORDINGS_PRICE", "9.00 EUR")
    assert read_environment().recordings_price == Price(900, "EUR")
    monkeypatch.setenv("VISUAL_REVIEW_RECORDINGS_PRICE", "nine")
    with pytest.raises(EnvironmentInvalidError, match="VISUAL_REVIEW_RECORDINGS_PRICE: 'nine'"):
        read_environment()


def test_limits_of_images_are_settings(monkeypatch: pytest.MonkeyPatch, case: Case) -> None:
    for name in IMAGE_LIMITS:
        monkeypatch.delenv(name, raising=False)
    # CI checks the same limits before an upload.
    defaults = read_environment()
    assert defaults.image_max_pixels == DEFAULT_LIMITS.pixels == 100_000_000
    assert defaults.image_max_side == DEFAULT_LIMITS.side == 65_535
    monkeypatch.setenv(IMAGE_LIMITS[0], "2000000")
    monkeypatch.setenv(IMAGE_LIMITS[1], "")
    assert read_environment().image_max_pixels == 2_000_000
    assert read_environment().image_max_side == 65_535
    for name in IMAGE_LIMITS:
        for text in ("0", "-1", "many", "1.5", "1e6", "9" * 5000):
            monkeypatch.setenv(name, text)
            with case(f"{name} {text[:9]}"), pytest.raises(EnvironmentInvalidError, match=name):
                read_environment()
        monkeypatch.delenv(name)


def test_people_create_organizations_only_where_it_is_turned_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for text, expected in (("", False), ("on", True), ("off", False)):
        if text:
            monkeypatch.setenv("VISUAL_REVIEW_ORGANIZATION_CREATION", text)
        assert read_environment().organization_creation is expected
    monkeypatch.setenv("VISUAL_REVIEW_ORGANIZATION_CREATION", "yes")
    with pytest.raises(EnvironmentInvalidError, match="must be 'on' or 'off'"):
        read_environment()


def test_organizations_have_quotas_where_everyone_can_create_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert read_environment().quotas == (0, 0, 0)
    monkeypatch.setenv("VISUAL_REVIEW_QUOTA_BUILDS_PER_DAY", "70")
    assert read_environment().quotas == (0, 70, 0)
    monkeypatch.setenv("VISUAL_REVIEW_ORGANIZATION_CREATION", "on")
    assert read_environment().quotas == (10, 70, 20_000)
    monkeypatch.setenv("VISUAL_REVIEW_QUOTA_MEGAPIXELS_PER_DAY", "0")
    assert read_environment().quotas == (10, 70, 0)
    monkeypatch.setenv("VISUAL_REVIEW_QUOTA_STORED_GB", "ten")
    with pytest.raises(EnvironmentInvalidError, match="VISUAL_REVIEW_QUOTA_STORED_GB"):
        read_environment()


def test_metrics_have_no_port_unless_it_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (read_environment().metrics_port, read_environment().worker_metrics_port) == (0, 0)
    monkeypatch.setenv("VISUAL_REVIEW_WORKER_METRICS_PORT", "9465")
    assert read_environment().worker_metrics_port == 9465
    monkeypatch.setenv("VISUAL_REVIEW_METRICS_PORT", "70000")
    with pytest.raises(EnvironmentInvalidError, match="VISUAL_REVIEW_METRICS_PORT must be"):
        read_environment()
