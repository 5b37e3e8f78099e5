"""The snapshot is that of the installed migrations; which databases are at its version."""

from pathlib import Path

import pytest
from django.apps import apps
from django.db.migrations.loader import MigrationLoader

from tests.support.case import Case
from visual_review.config.schema.installed import Migration, digest_of, list_migration_files
from visual_review.config.schema.snapshot import Snapshot

GENERATE = "The migrations changed: run `python -m scripts.generate_schema` and commit its files."
FIRST, SECOND = ("builds", "0001_initial"), ("builds", "0002_images")
SNAPSHOT = Snapshot({"builds": "package.migrations"}, (FIRST, SECOND), "")


def test_the_snapshot_is_that_of_the_installed_migrations() -> None:
    snapshot = Snapshot.read()
    found = {
        config.label: MigrationLoader.migrations_module(config.label)[0]
        for config in apps.get_app_configs()
    }
    with_migrations = {app: found[app] for app, _ in list_migration_files(found)}
    assert snapshot.modules == with_migrations, GENERATE
    assert snapshot.has_installed_names(), GENERATE
    assert snapshot.has_installed_files(), GENERATE


def test_a_database_is_at_the_version_if_it_has_exactly_its_migrations(case: Case) -> None:
    other_program: Migration = ("blog", "0001_initial")
    newer: Migration = ("builds", "0003_newer")
    for name, applied, current in (
        ("all", [FIRST, SECOND], True),
        ("of another program too", [FIRST, SECOND, other_program], True),
        ("none", [], False),
        ("one is missing", [FIRST], False),
        ("one is newer", [FIRST, SECOND, newer], False),
        ("one is another", [FIRST, newer], False),
    ):
        with case(name):
            assert SNAPSHOT.is_applied(applied) is current


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a package's migrations."""
    folder = tmp_path / "their_package" / "inner" / "migrations"
    folder.mkdir(parents=True)
    for name in ("__init__.py", "0001_initial.py", "0002_next.py", "~0002_next.py", "notes.txt"):
        (folder / name).write_text(name)
    for inner in (folder.parent, folder.parent.parent):
        # Importing it would fail.
        (inner / "__init__.py").write_text("raise AssertionError")
    monkeypatch.syspath_prepend(tmp_path)
    return folder


MODULES = {"theirs": "their_package.inner.migrations"}


def test_migrations_are_found_without_importing_their_package(package: Path) -> None:
    assert list_migration_files({**MODULES, "absent": "no_such_package.migrations"}) == {
        ("theirs", "0001_initial"): package / "0001_initial.py",
        ("theirs", "0002_next"): package / "0002_next.py",
    }


def test_every_change_of_a_migration_changes_the_digest(package: Path) -> None:
    digests = {digest_of(list_migration_files(MODULES))}
    (package / "0002_next.py").write_text("changed")
    digests.add(digest_of(list_migration_files(MODULES)))
    (package / "0002_next.py").rename(package / "0003_next.py")
    digests.add(digest_of(list_migration_files(MODULES)))
    (package / "0003_next.py").unlink()
    digests.add(digest_of(list_migration_files(MODULES)))
    assert len(digests) == 4
