"""Stores which links prove an e-mail address, and which organization created an account."""

from datetime import timedelta

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import F

# An account and its first membership are created in one transaction.
_TOGETHER = timedelta(minutes=1)


def find_creators(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    _ = schema_editor
    rows = apps.get_model("accounts", "Membership").objects.filter(
        created_at__lt=F("user__date_joined") + _TOGETHER
    )
    rows.update(created_account=True)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_attempt_counts"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="access_review_due",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="membership",
            name="created_account",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="invitation",
            name="is_mailed",
            field=models.BooleanField(default=False),
        ),
        migrations.RunPython(find_creators, migrations.RunPython.noop),
    ]
