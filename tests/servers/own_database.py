"""The environment of a program that works on the tests' own database."""

from urllib.parse import quote

from django.db import connection

from tests.servers.service import environment


def on_own_database(**given: str) -> dict[str, str]:
    """``given``, and the database of this test; what the program shall see must be committed."""
    server = connection.settings_dict
    who = f"{quote(server['USER'])}:{quote(server['PASSWORD'])}"
    where = f"host={quote(server['HOST'], safe='')}&port={server['PORT']}"
    return environment(
        VISUAL_REVIEW_DATABASE_URL=f"postgresql://{who}@/{server['NAME']}?{where}", **given
    )
