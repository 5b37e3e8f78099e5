"""The migrations of the installed packages, found by their files: Django is not imported."""

import hashlib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

# The app and the name of a migration.
Migration = tuple[str, str]
NO_MIGRATION = ("_", "~")


def list_migration_files(modules: Mapping[str, str]) -> dict[Migration, Path]:
    """Return the files of all migrations; ``modules`` has the module of each app's migrations.

    An app whose files cannot be found has none.
    """
    return {
        (app, file.stem): file
        for app, module in modules.items()
        for file in sorted(_find_folder(module).glob("*.py"))
        if not file.name.startswith(NO_MIGRATION)
    }


def digest_of(files: Mapping[Migration, Path]) -> str:
    """Return a digest of the names and contents of migrations."""
    digest = hashlib.sha256()
    for (app, name), file in sorted(files.items()):
        content = file.read_bytes()
        digest.update(f"{app}.{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _find_folder(module: str) -> Path:
    # Only the package at the top is looked up, since that imports nothing.
    package, *rest = module.split(".")
    spec = find_spec(package)
    locations = list(spec.submodule_search_locations or ()) if spec else []
    return Path(locations[0] if locations else package, *rest)
