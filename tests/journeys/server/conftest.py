"""Third-party servers for tests of the service."""

from collections.abc import Iterator

import pytest

from tests.support.servers.s3 import MISSING, S3Server, installed, s3_server
from tests.support.servers.service import open_folder
from tests.support.servers.tcp_postgres import TcpPostgres, tcp_postgres


@pytest.fixture(scope="package")
def postgres() -> Iterator[TcpPostgres]:
    with open_folder() as folder, tcp_postgres(folder) as server:
        yield server


@pytest.fixture(scope="package")
def s3() -> Iterator[S3Server]:
    if not installed():
        pytest.skip(MISSING)
    with open_folder() as folder, s3_server(folder) as server:
        yield server
