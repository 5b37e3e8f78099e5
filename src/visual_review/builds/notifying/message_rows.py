"""Write messages to the outbox in one statement, new ones and those that are there already."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from django.db import connection

from visual_review.builds.models import HostMessage
from visual_review.kernel.clock import now

# Rows are locked in the order in which they are given. The change may fix what the provider
# rejected, so a failed message is sent again without waiting. Its stream never changes.
_QUEUE_MESSAGES: Final = """
INSERT INTO builds_hostmessage (
    id, repository_id, kind, subject, stream, commit, context, pull_request, review_entry_id,
    next_try_at, revision, told_revision, reference, state, attempts, failure, changed_at
)
SELECT message.*, 1, 0, '', 'waiting', 0, '', %s
FROM unnest(
    %s::varchar[], %s::varchar[], %s::varchar[], %s::varchar[], %s::varchar[], %s::varchar[],
    %s::varchar[], %s::integer[], %s::bigint[], %s::timestamptz[]
) AS message
ON CONFLICT (repository_id, kind, subject) DO UPDATE SET
    revision = builds_hostmessage.revision + 1, state = excluded.state,
    failure = excluded.failure, next_try_at = excluded.next_try_at,
    changed_at = excluded.changed_at
RETURNING stream, next_try_at
"""


def queue_messages(messages: Sequence[HostMessage]) -> list[tuple[str, datetime | None]]:
    """Insert the messages, or increase the revisions of those with the same subjects.

    Returns the stream of each, and the time before which it is not delivered, if there is one.
    """
    columns = zip(
        *(
            (
                row.pk,
                row.repository_id,
                row.kind,
                row.subject,
                row.stream,
                row.commit,
                row.context,
                row.pull_request,
                row.review_entry_id,
                row.next_try_at,
            )
            for row in messages
        ),
        strict=True,
    )
    with connection.cursor() as cursor:
        cursor.execute(_QUEUE_MESSAGES, [now(), *map(list, columns)])
        rows: list[tuple[str, datetime | None]] = cursor.fetchall()
    return rows
