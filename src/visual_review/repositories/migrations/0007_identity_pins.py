"""Pins the repository that CI identity tokens are for, and ends the audience that names none.

Repositories that a connected account identifies by the provider's id keep accepting tokens whose
audience is the whole service; those connected by name alone do not.
"""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def keep_shared_audiences(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    _ = schema_editor
    rows = apps.get_model("repositories", "Repository").objects.exclude(identity_issuer="")
    rows.exclude(host_account=None).exclude(host_id="").update(identity_shared_audience=True)


class Migration(migrations.Migration):
    dependencies = [
        ("repositories", "0006_storage_use"),
    ]

    operations = [
        migrations.AddField(
            model_name="repository",
            name="identity_pin",
            field=models.CharField(blank=True, default="", max_length=100),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="repository",
            name="identity_shared_audience",
            field=models.BooleanField(default=False),
        ),
        migrations.RunPython(keep_shared_audiences, migrations.RunPython.noop),
    ]
