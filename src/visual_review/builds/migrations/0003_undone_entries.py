# Undone decisions were found by counting entries; each is marked instead.

from collections import defaultdict
from typing import Any

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def mark_undone_entries(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    entries = apps.get_model("builds", "ReviewEntry").objects
    builds = entries.filter(decision="undone").order_by().values_list("build_id", flat=True)
    for build in builds.distinct():
        newest: dict[tuple[str, str, str], list[Any]] = defaultdict(list)
        for entry in entries.filter(build=build).order_by("id"):
            stack = newest[entry.story_id, entry.theme, entry.device]
            if entry.decision != "undone":
                stack.append(entry)
            elif stack:
                # An undo took back the newest decision that stood.
                entries.filter(pk=stack.pop().pk).update(undone_by=entry.pk)


class Migration(migrations.Migration):

    dependencies = [
        ('builds', '0002_green_means_looked_at'),
    ]

    operations = [
        migrations.AddField(
            model_name='reviewentry',
            name='undone_by',
            field=models.BigIntegerField(null=True),
        ),
        migrations.RunPython(mark_undone_entries, migrations.RunPython.noop),
    ]
