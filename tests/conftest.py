"""The base of all tests: a real PostgreSQL, blobs in a folder, and the personas."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from unittest.mock import patch

import pytest
from django.db import connections
from django.test import TransactionTestCase
from django.test.utils import override_settings
from hypothesis import HealthCheck, is_hypothesis_test
from hypothesis import settings as hypothesis_settings
from pytest_django import fixtures
from pytest_django.fixtures import Settings
from pytest_django.plugin import DjangoDbBlocker
from scripts.local_host.memory import MemoryWorld, world_of
from xdist.remote import Producer

from tests.support import certificates
from tests.support.bytecode import cache_bytecode
from tests.support.case import Case
from tests.support.database import (
    begin,
    current_personas,
    delete_personas,
    end_other_sessions,
    restore,
    rolled_back,
)
from tests.support.depth import DEEP, SEED_VARIABLE, rounds, seed
from tests.support.groups import GroupScheduling, sort_by_group
from tests.support.hang_guard import pytest_runtest_protocol
from tests.support.host_accounts import ADDRESS
from tests.support.personas import Personas
from tests.support.servers.shared_postgres import shared_postgres
from tests.support.threads import Racers, racers
from visual_review.api.credentials import WRONG_CREDENTIALS
from visual_review.config.environment import database_settings

__all__ = ["pytest_runtest_protocol"]
DATABASE_VARIABLE = "VISUAL_REVIEW_TEST_DATABASE_URL"

# The duration of an example shows how busy the machine is, and nothing about the rule. A database
# of earlier failures would make a run differ from its repetition.
hypothesis_settings.register_profile(
    "tests",
    max_examples=rounds(25, 100),
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
hypothesis_settings.load_profile("tests")
# Each of many servers would reserve 256 MB; the tests of a full disk choose a size of their own.
os.environ.setdefault("VISUAL_REVIEW_DISK_RESERVE_MB", "0")
# Threads of races keep a connection each until the end of their test.
os.environ.setdefault("VISUAL_REVIEW_DATABASE_POOL", "60")
cache_bytecode()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("visual review")
    group.addoption("--crash-rounds", type=int, help="How often to kill -9 instead of as usual.")
    group.addoption("--crash-seed", type=int, help="Make the choices of an earlier run again.")


def pytest_configure(config: pytest.Config) -> None:
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = seed()


def pytest_report_header() -> str:
    depth = "deep" if DEEP else "ordinary"
    return f"random search: {depth} depth, seed {seed()} ({SEED_VARIABLE}={seed()} repeats it)"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj):
            item.add_marker("search")
    left_out = [item for item in items if not DEEP and item.get_closest_marker("deep")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    sort_by_group(items)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> GroupScheduling:
    return GroupScheduling(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Modules imported by now stay; collecting them again and again costs a tenth."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def database_url(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The given server, or an embedded one shared by the processes of the run."""
    given = os.environ.get(DATABASE_VARIABLE)
    if given:
        return given
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        return shared_postgres(folder.parent, os.getppid())
    return shared_postgres(folder, os.getpid())


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings: None,  # noqa: ARG001 - It names a database for each worker.
    database_url: str,
) -> None:
    """Point Django at the tests' own server before the test database is made."""
    server = database_settings(database_url)
    migrated = server.pop("NAME")
    connections["default"].settings_dict.update(server)
    if DATABASE_VARIABLE not in os.environ:
        connections["default"].settings_dict["TEST"]["TEMPLATE"] = migrated


@pytest.fixture(scope="session", autouse=True)
def database_for_packages() -> Iterator[None]:
    """Create the database also for tests that reach it through the service of their package."""
    with patch.object(fixtures, "_get_databases_for_setup", lambda _: ({"default"}, set())):
        yield


@pytest.fixture(scope="session")
def django_db_setup(
    django_db_setup: None,  # noqa: ARG001 - It makes the database.
    quick_passwords: None,  # noqa: ARG001 - The personas have some.
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[None]:
    with django_db_blocker.unblock():
        begin()
    with patch.object(TransactionTestCase, "_fixture_teardown", lambda _: restore()):
        yield
    with django_db_blocker.unblock():
        end_other_sessions()


@pytest.fixture
def personas(db: None) -> Personas:  # noqa: ARG001 - The fixture opens the database.
    return current_personas()


@pytest.fixture
def without_personas(db: None) -> None:  # noqa: ARG001 - The fixture opens the database.
    """The database before the first start."""
    delete_personas()


@pytest.fixture
def case(subtests: pytest.Subtests, request: pytest.FixtureRequest) -> Case:
    """One row of a table: reported by its name, and undone, so that every row finds the same."""
    in_transaction = request.node.get_closest_marker("django_db") or "db" in request.fixturenames

    @contextmanager
    def opened(name: object) -> Iterator[None]:
        with subtests.test(str(name)), rolled_back() if in_transaction else nullcontext():
            yield

    return opened


@pytest.fixture(autouse=True)
def blobs_folder(tmp_path: Path, settings: Settings) -> Path:
    """The folder of the service shared by several tests, or else one of the test's own."""
    if not settings.STORAGE_URL:
        settings.STORAGE_URL = (tmp_path / "blobs").as_uri()
    return Path(settings.STORAGE_URL.removeprefix("file://"))


@pytest.fixture(scope="session", autouse=True)
def no_files_of_the_checkout() -> Iterator[None]:
    """Keep Django's server for tests from serving media, and tests from the storage of a developer."""
    with override_settings(MEDIA_URL="/media/", STORAGE_URL=""):
        yield


@pytest.fixture(scope="session", autouse=True)
def quick_passwords() -> Iterator[None]:
    """Slow hashes protect real passwords; the personas' would cost a second a test."""
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        yield


@pytest.fixture(scope="session", autouse=True)
def trusted_certificates() -> Iterator[None]:
    with certificates.read_once():
        yield


@pytest.fixture(autouse=True)
def source_host(settings: Settings) -> MemoryWorld:
    """The only reachable host, new for each test."""
    settings.SOURCE_HOSTS = (ADDRESS,)
    return world_of(ADDRESS, fresh=True)


@pytest.fixture(autouse=True)
def no_wrong_credentials() -> None:
    """Forget the wrong credentials of other tests, sent from the same address."""
    WRONG_CREDENTIALS.clear()


@pytest.fixture
def two_threads() -> Iterator[Racers]:
    with racers(2) as pool:
        yield pool


@pytest.fixture
def four_threads() -> Iterator[Racers]:
    with racers(4) as pool:
        yield pool
