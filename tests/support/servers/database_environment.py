"""The environment of a program that works on the database of the tests."""

from urllib.parse import quote

from django.db import connection

from tests.support.servers.service import environment


def database_environment(**given: str) -> dict[str, str]:
    """``given``, and this process's database; another process sees what was committed to it."""
    server = connection.settings_dict
    who = f"{quote(server['USER'])}:{quote(server['PASSWORD'])}"
    where = f"host={quote(server['HOST'], safe='')}&port={server['PORT']}"
    return environment(
        VISUAL_REVIEW_DATABASE_URL=f"postgresql://{who}@/{server['NAME']}?{where}", **given
    )
