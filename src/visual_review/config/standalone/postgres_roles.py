"""The roles of the embedded PostgreSQL: the service's own, which is no superuser.

The superuser created by ``initdb`` has no password, so no one can sign in as superuser. The
superuser's work is done before the server starts, by a single process without connections.
"""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import LiteralString

from psycopg import sql

from visual_review.config.errors import StartupError
from visual_review.config.standalone.postgres_names import DATABASE, ROLE

# An error in these statements must not show them: the statements contain the password.
QUIET = ("log_min_error_statement=panic", "log_error_verbosity=terse", "log_min_messages=error")
# Without the option, the program would go on after an error.
STRICT = "exit_on_error=on"

CREATE_ROLE = """DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {role}) THEN CREATE ROLE {name}; END IF;
END $$"""
SET_RIGHTS = """ALTER ROLE {name}
    LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD {password}"""
CREATE_DATABASE = "CREATE DATABASE {database} OWNER {name}"
ROLE_STATEMENTS = (CREATE_ROLE, SET_RIGHTS)
# The server's messages are English, because of LC_ALL.
NO_DATABASE = f'database "{DATABASE}" does not exist'

RunServer = Callable[[Sequence[str], str], "subprocess.CompletedProcess[str]"]


def prepare_roles(run: RunServer, cluster: Path, password: str) -> None:
    """Create or update the role and its database.

    ``run`` starts the program ``postgres`` with arguments and an input. Repeatable.
    """
    statements = _compose(ROLE_STATEMENTS, password)
    done = run_alone(run, cluster, DATABASE, statements, STRICT)
    if done.returncode and NO_DATABASE in done.stderr:
        # The last step, so that the next start notices an interruption before it.
        statements = _compose((*ROLE_STATEMENTS, CREATE_DATABASE), password)
        done = run_alone(run, cluster, "postgres", statements, STRICT)
    if done.returncode:
        raise StartupError(
            f"The roles of the database in {cluster} could not be prepared: {done.stderr[-2000:]}"
        )


def run_alone(
    run: RunServer, cluster: Path, database: str, statements: Sequence[str], *settings: str
) -> "subprocess.CompletedProcess[str]":
    """Run statements as the superuser, in a cluster whose server does not run."""
    options = [part for setting in (*QUIET, *settings) for part in ("-c", setting)]
    # With -j, a semicolon and an empty line end a statement.
    text = "".join(f"{statement};\n\n" for statement in statements)
    return run(["--single", "-j", "-D", str(cluster), *options, database], text)


def _compose(statements: Sequence[LiteralString], password: str) -> list[str]:
    names = {
        "role": sql.Literal(ROLE),
        "name": sql.Identifier(ROLE),
        "database": sql.Identifier(DATABASE),
        "password": sql.Literal(password),
    }
    return [sql.SQL(statement).format(**names).as_string(None) for statement in statements]
