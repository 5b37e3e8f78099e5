"""One S3 server for these journeys, and a bucket of each test's own."""

from collections.abc import Iterator
from itertools import count

import pytest
from pytest_django.fixtures import Settings

from tests.support.servers.s3 import MISSING, S3Server, installed, s3_server

NUMBERS = count(1)


@pytest.fixture(scope="package")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    if not installed():
        pytest.skip(MISSING)
    with s3_server(tmp_path_factory.mktemp("s3")) as running:
        yield running


@pytest.fixture
def bucket(s3: S3Server, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of an empty bucket, the service's storage from now on."""
    for variable, value in s3.credentials.items():
        monkeypatch.setenv(variable, value)
    name = f"journey-{next(NUMBERS)}"
    settings.STORAGE_URL = s3.new_bucket(name)
    return name
