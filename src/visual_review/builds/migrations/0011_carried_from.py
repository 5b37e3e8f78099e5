from django.db import migrations, models

# Builds that were approved by carried-over approvals got no name before.
NAME_BUILDS = """
    UPDATE builds_build AS build
    SET decided_by_name = left(carried.names, 300), carried_from_id = carried.newest
    FROM (
        SELECT
            build_id,
            coalesce(string_agg(DISTINCT nullif(decided_by_name, ''), ', '), '') AS names,
            max(carried_from_id) AS newest
        FROM builds_screenshot
        WHERE decision_source = 'carried_over'
        GROUP BY build_id
    ) AS carried
    WHERE carried.build_id = build.id
      AND build.decision_source = 'carried_over'
      AND build.decided_by_name = ''
"""
NAME_VERSIONS = """
    UPDATE builds_baselinemove AS version
    SET moved_by_name = build.decided_by_name
    FROM builds_build AS build
    WHERE version.build_id = build.id
      AND version.kind = 'carried_over'
      AND version.moved_by_name = ''
      AND build.decision_source = 'carried_over'
"""


class Migration(migrations.Migration):
    dependencies = [("builds", "0010_review_pages")]

    operations = [
        migrations.AddField(
            model_name="build",
            name="carried_from_id",
            field=models.CharField(blank=True, db_default="", default="", max_length=40),
        ),
        migrations.RunSQL(NAME_BUILDS, migrations.RunSQL.noop),
        migrations.RunSQL(NAME_VERSIONS, migrations.RunSQL.noop),
    ]
