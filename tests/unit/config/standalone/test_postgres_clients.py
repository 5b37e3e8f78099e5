"""Which ``pg_dump`` is used for a server."""

from pathlib import Path

import pytest

from visual_review.config.errors import StartupError
from visual_review.config.standalone.postgres_programs import find_client


@pytest.fixture
def on_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program of PostgreSQL 16 that is the first on the path."""
    program = tmp_path / "pg_dump"
    program.write_text("#!/bin/sh\necho 'pg_dump (PostgreSQL) 16.4 (Debian 16.4-1)'\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    return program


def test_a_program_on_the_path_is_used_unless_it_is_older_than_the_server(on_path: Path) -> None:
    assert find_client("pg_dump", 160_003) == on_path
    assert find_client("pg_dump", 180_000).parent.parent.name == "pginstall18"


def test_a_restore_into_an_old_server_needs_its_own_program(on_path: Path, tmp_path: Path) -> None:
    with pytest.raises(StartupError, match="postgresql-client-16"):
        find_client("pg_restore", 160_003)
    on_path.rename(tmp_path / "pg_restore")
    assert find_client("pg_restore", 160_003) == tmp_path / "pg_restore"


def test_a_server_newer_than_all_programs_names_the_package(on_path: Path) -> None:
    assert on_path.exists()
    with pytest.raises(StartupError, match=r"PostgreSQL 99, .* postgresql-client-99"):
        find_client("pg_dump", 990_000)
