"""Number what needs a review in a build, for clients that name it in few tokens."""

from typing import Any, Final

from django.db import connection

from visual_review.builds.models import Build
from visual_review.builds.states import TO_REVIEW

# In the order of a review. The caller holds the build's lock.
_GIVE: Final = """
UPDATE builds_screenshot AS shot SET number = %(last)s + numbered.position
FROM (
    SELECT shot.id, row_number() OVER (
        ORDER BY array_position(%(states)s::text[], shot.diff_state::text),
            change_group.position NULLS LAST, comparison.severity DESC NULLS LAST,
            shot.story_id, shot.theme, shot.device
    ) AS position
    FROM builds_screenshot AS shot
    LEFT JOIN builds_changegroup AS change_group ON change_group.id = shot.group_id
    LEFT JOIN builds_comparison AS comparison ON comparison.id = shot.comparison_id
    WHERE shot.build_id = %(build)s AND shot.number IS NULL AND NOT shot.detection_only
        AND shot.diff_state = ANY(%(states)s)
) AS numbered
WHERE numbered.id = shot.id
"""


def give_numbers(build: Build) -> None:
    """Number the screenshots of the locked build that differ or failed and have no number yet.

    The numbers of others stay as they are, also if they no longer differ. The caller saves
    ``build.last_number``.
    """
    values: dict[str, Any] = {
        "build": build.pk,
        "last": build.last_number,
        "states": list(TO_REVIEW),
    }
    with connection.cursor() as cursor:
        cursor.execute(_GIVE, values)
        build.last_number += cursor.rowcount
