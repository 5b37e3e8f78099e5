"""What tests of signing in share."""

import pytest
from pytest_django.fixtures import Settings


@pytest.fixture
def without_rate_limits(settings: Settings) -> None:
    """Turn off rate limits, which need most of the queries of a request."""
    settings.ACCOUNT_RATE_LIMITS = False
