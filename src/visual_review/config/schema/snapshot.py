"""The schema that all migrations lead to, as statements: a new database starts with it.

``snapshot.sql`` and ``snapshot.json`` are generated from the migrations by
``python -m scripts.generate_schema``. Nothing here imports Django, whose migrations take seconds to
load.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

import psycopg
from psycopg import sql

from visual_review.config.schema.installed import Migration, digest_of, list_migration_files

STATEMENTS = Path(__file__).with_name("snapshot.sql")
FACTS = Path(__file__).with_name("snapshot.json")
# Functions name tables that are created after them.
WITHOUT_CHECKS = "SET LOCAL check_function_bodies = off"
RECORD = """
    INSERT INTO django_migrations (app, name, applied)
    SELECT app, name, now() FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY AS m (app, name, place)
    ORDER BY place
"""

Connection = psycopg.Connection[Any]


@dataclass(frozen=True)
class Snapshot:
    """``migrations`` are those it replaces, in their order; ``digest`` is that of their files.

    ``modules`` has the module of each app's migrations.
    """

    modules: dict[str, str]
    migrations: tuple[Migration, ...]
    digest: str

    @classmethod
    @cache
    def read(cls) -> Self:
        facts = json.loads(FACTS.read_text())
        names = (written.split(".") for written in facts["migrations"])
        return cls(facts["modules"], tuple((app, name) for app, name in names), facts["digest"])

    def has_installed_names(self) -> bool:
        """Whether the installed packages have exactly these migrations.

        Other versions of the packages than those it was generated with may have others.
        """
        return set(list_migration_files(self.modules)) == set(self.migrations)

    def has_installed_files(self) -> bool:
        """Whether the files of the installed packages are those it was generated from."""
        return digest_of(list_migration_files(self.modules)) == self.digest

    def is_applied(self, applied: Sequence[Migration]) -> bool:
        """Whether a database with the migrations ``applied`` is at this version.

        Migrations of other apps do not count: a database may be shared.
        """
        ours = {(app, name) for app, name in applied if app in self.modules}
        return ours == set(self.migrations)

    def apply(self, server: Connection) -> None:
        """Create everything in an empty database, in the current transaction."""
        apps, names = zip(*self.migrations, strict=True)
        server.execute(WITHOUT_CHECKS)
        # The statements are a file of this package.
        server.execute(sql.SQL(STATEMENTS.read_text()))
        server.execute(RECORD, [list(apps), list(names)])
