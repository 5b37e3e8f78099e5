"""Fixtures for tests of signing in."""

import pytest
from pytest_django.fixtures import Settings


@pytest.fixture
def without_rate_limits(settings: Settings) -> None:
    """Turn off rate limits, the source of most queries of a request."""
    settings.ACCOUNT_RATE_LIMITS = False
