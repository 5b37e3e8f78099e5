"""Generate the schema of new databases from the migrations: ``python -m scripts.generate_schema``."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import django
import psycopg
from django.db.migrations.loader import MigrationLoader

from visual_review.config.environment import DATABASE_URL
from visual_review.config.schema.installed import digest_of, list_migration_files
from visual_review.config.schema.preparation import list_applied
from visual_review.config.schema.snapshot import FACTS, STATEMENTS
from visual_review.config.standalone.os_user import Account
from visual_review.config.standalone.postgres import EmbeddedPostgres
from visual_review.config.standalone.postgres_programs import programs_for

HEAD = "-- Generated from the migrations by `python -m scripts.generate_schema`; do not edit.\n"
SETTINGS = "visual_review.config.settings"
# What the migrations themselves fill; the record of migrations is in snapshot.json.
FILLED = ("django_content_type", "auth_permission")
QUALIFIER = "public."
# Of the session that reads the dump, or comments.
SKIPPED = ("SET ", "SELECT pg_catalog.set_config(", "--", "\\")
QUOTED = re.compile(r"(\$\w*\$.*?\$\w*\$)", re.DOTALL)
# How PostgreSQL writes ``column IN ('a', 'b')``.
CAST = "::character varying"
LIST = re.compile(r"\((\w+)\)::text = ANY \(\(ARRAY\[([^\]]*)\]\)::text\[\]\)")
EMPTY_LINES = re.compile(r"\n{2,}")
FAST = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", SETTINGS)
    django.setup()
    with tempfile.TemporaryDirectory(prefix="visual-review-schema-") as name:
        folder = Path(name)
        # As root, the server has an account of its own.
        folder.chmod(0o755)
        server = EmbeddedPostgres(folder / "postgres", "generated", FAST)
        try:
            server.start()
            migrate(server.url)
            write_snapshot(server.url)
        finally:
            server.stop()


def migrate(url: str) -> None:
    """Migrate with the migrations alone; ``visual-review migrate`` would use the snapshot."""
    subprocess.run(
        [sys.executable, "-m", "django", "migrate", "--no-input", "--verbosity", "0"],
        env={**os.environ, DATABASE_URL: url},
        check=True,
    )


def write_snapshot(url: str) -> None:
    modules = find_modules()
    files = list_migration_files(modules)
    with psycopg.connect(url) as server:
        applied = list_applied(server)
    if set(applied) != set(files):
        sys.exit(f"Applied and installed migrations differ: {sorted(set(applied) ^ set(files))}")
    STATEMENTS.write_text(HEAD + restore_lists(clean(dump_schema(url))) + clean(dump_rows(url)))
    facts = {
        "digest": digest_of(files),
        "modules": modules,
        "migrations": list(map(".".join, applied)),
    }
    FACTS.write_text(f"{json.dumps(facts, indent=1)}\n")


def find_modules() -> dict[str, str]:
    """Return the module of the migrations of each app that has some."""
    loader = MigrationLoader(None)
    found = {app: loader.migrations_module(app)[0] for app in sorted(loader.migrated_apps)}
    return {app: module for app, module in found.items() if module}


def dump_schema(url: str) -> str:
    return _dump(url, "--schema-only")


def dump_rows(url: str) -> str:
    """Dump what the migrations fill, without the record of migrations."""
    tables = [f"--table={name}" for name in FILLED]
    return _dump(url, "--data-only", "--rows-per-insert=1000", *tables)


def _dump(url: str, *options: str) -> str:
    # Only this account runs it, so that no copy of the programs is needed.
    account = Account(os.geteuid(), os.getegid(), change=False)
    program = programs_for(account, Path("/nonexistent")) / "pg_dump"
    command = [str(program), "--no-owner", "--no-privileges", *options, url]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def clean(dump: str) -> str:
    """Return the statements alone, for the schema that is the current one."""
    # Bodies of functions stay as they are.
    parts = QUOTED.split(dump)
    return "".join(part if number % 2 else _clean(part) for number, part in enumerate(parts))


def restore_lists(statements: str) -> str:
    """Write lists of values as the migrations do: read again, the dumped form is another one."""
    return LIST.sub(lambda found: f"{found[1]} IN ({found[2].replace(CAST, '')})", statements)


def _clean(part: str) -> str:
    lines = (line for line in part.splitlines(keepends=True) if not line.startswith(SKIPPED))
    return EMPTY_LINES.sub("\n", "".join(lines).replace(QUALIFIER, ""))


if __name__ == "__main__":
    main()
