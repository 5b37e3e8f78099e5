"""What all tests share: a real PostgreSQL, blobs in a folder, and the personas."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connections
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django.fixtures import Settings

from tests.connected_host import ADDRESS
from tests.ending import pytest_runtest_protocol
from tests.personas import Personas, make_personas
from tests.servers.embedded import shared_server
from visual_review.config.environment import database_settings
from visual_review.hosts.memory import MemoryWorld, world_of

__all__ = ["pytest_runtest_protocol"]
DATABASE_VARIABLE = "VISUAL_REVIEW_TEST_DATABASE_URL"
# What makes a test write for good, beside the marker.
COMMITTING = frozenset({"live_server", "transactional_db"})

# How long an example takes says how busy the machine is, and nothing about the rule.
hypothesis_settings.register_profile(
    "tests", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.load_profile("tests")


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("visual review")
    group.addoption("--crash-rounds", type=int, default=50, help="How often to kill -9.")
    group.addoption("--crash-seed", type=int, help="Make the choices of an earlier run again.")


@pytest.fixture(scope="session")
def database_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The given server, or an embedded one that the processes of this run share."""
    given = os.environ.get(DATABASE_VARIABLE)
    if given:
        return given
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        return shared_server(folder.parent, os.getppid())
    return shared_server(folder, os.getpid())


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings: None,  # noqa: ARG001 - It names a database for each worker.
    database_url: str,
) -> None:
    """Point Django at the tests' own server before the test database is made."""
    server = {key: value for key, value in database_settings(database_url).items() if key != "NAME"}
    connections["default"].settings_dict.update(server)


@pytest.fixture
def personas(db: None) -> Personas:  # noqa: ARG001 - The fixture opens the database.
    return make_personas()


@pytest.fixture(autouse=True)
def blobs_folder(tmp_path: Path, settings: Settings) -> Path:
    folder = tmp_path / "blobs"
    settings.STORAGE_URL = folder.as_uri()
    return folder


@pytest.fixture(autouse=True)
def quick_passwords(settings: Settings) -> None:
    """Slow hashes protect real passwords; the personas' would cost a second a test."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def source_host(settings: Settings) -> MemoryWorld:
    """The only host that may be reached, new for each test."""
    settings.SOURCE_HOSTS = (ADDRESS,)
    return world_of(ADDRESS, fresh=True)


@pytest.fixture(autouse=True)
def emptied_queue(request: pytest.FixtureRequest) -> Iterator[None]:
    """No job outlives its test: what clears the tables after tests that commit spares the queue."""
    yield
    marker = request.node.get_closest_marker("django_db")
    commits = marker is not None and marker.kwargs.get("transaction", False)
    if commits or COMMITTING & set(request.fixturenames):
        ProcrastinateJob.objects.all()._raw_delete("default")  # noqa: SLF001 - The model is read-only.
