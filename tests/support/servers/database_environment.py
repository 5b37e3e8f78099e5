"""The environment of a program that uses the database of the tests."""

from urllib.parse import quote

from django.db import connection

from tests.support.servers.service import environment


def database_environment(**variables: str) -> dict[str, str]:
    """Return ``variables`` and the database; another process sees only committed rows."""
    server = connection.settings_dict
    credentials = f"{quote(server['USER'])}:{quote(server['PASSWORD'])}"
    socket = f"host={quote(server['HOST'], safe='')}&port={server['PORT']}"
    return environment(
        VISUAL_REVIEW_DATABASE_URL=f"postgresql://{credentials}@/{server['NAME']}?{socket}",
        **variables,
    )
