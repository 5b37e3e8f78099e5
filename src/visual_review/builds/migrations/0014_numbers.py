from __future__ import annotations

from django.db import migrations, models

# In the order of a review, as builds/comparing/numbers.py gives them since.
SCREENSHOTS = """
UPDATE builds_screenshot AS shot SET number = numbered.number
FROM (
    SELECT shot.id, row_number() OVER (
        PARTITION BY shot.build_id
        ORDER BY array_position(ARRAY['changed', 'new', 'removed', 'failed'], shot.diff_state::text),
            change_group.position NULLS LAST, comparison.severity DESC NULLS LAST,
            shot.story_id, shot.theme, shot.device
    ) AS number
    FROM builds_screenshot AS shot
    JOIN builds_build AS build ON build.id = shot.build_id AND build.status = 'completed'
    LEFT JOIN builds_changegroup AS change_group ON change_group.id = shot.group_id
    LEFT JOIN builds_comparison AS comparison ON comparison.id = shot.comparison_id
    WHERE NOT shot.detection_only
        AND shot.diff_state IN ('changed', 'new', 'removed', 'failed')
) AS numbered
WHERE numbered.id = shot.id
"""
GROUPS = "UPDATE builds_changegroup SET number = position + 1"
COUNTS = """
UPDATE builds_build AS build SET
    last_number = coalesce((
        SELECT max(number) FROM builds_screenshot AS shot WHERE shot.build_id = build.id
    ), 0),
    last_group_number = coalesce((
        SELECT max(number) FROM builds_changegroup AS found WHERE found.build_id = build.id
    ), 0)
WHERE build.status = 'completed'
"""


def _count() -> models.PositiveIntegerField[int, int]:
    return models.PositiveIntegerField(default=0, db_default=0)


class Migration(migrations.Migration):
    dependencies = [("builds", "0013_story_regions")]

    operations = [
        migrations.AddField("build", "last_number", _count()),
        migrations.AddField("build", "last_group_number", _count()),
        migrations.AddField("screenshot", "number", models.PositiveIntegerField(null=True)),
        migrations.AddField("changegroup", "number", models.PositiveIntegerField(null=True)),
        migrations.RunSQL(SCREENSHOTS, migrations.RunSQL.noop),
        migrations.RunSQL(GROUPS, migrations.RunSQL.noop),
        migrations.RunSQL(COUNTS, migrations.RunSQL.noop),
        migrations.AddConstraint(
            "screenshot",
            models.UniqueConstraint(
                fields=("build", "number"),
                name="one_screenshot_a_number",
                condition=models.Q(number__isnull=False),
            ),
        ),
    ]
