"""Stores whom each project token was shown to; for active ones, the audit log knows."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

VERBS = ("repository.connected", "repository.token_rotated")


def find_creators(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    _ = schema_editor
    entries = apps.get_model("audit", "AuditEntry").objects.filter(verb__in=VERBS)
    for token in apps.get_model("repositories", "ProjectToken").objects.filter(revoked_at=None):
        # The active token is the one that was created last.
        entry = entries.filter(target_id=token.repository_id).order_by("-id").first()
        if entry is not None:
            token.created_by_id = entry.actor_id
            token.save(update_fields=["created_by_id"])


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0002_client_and_credential"),
        ("repositories", "0007_identity_pins"),
    ]

    operations = [
        migrations.AddField(
            model_name="projecttoken",
            name="created_by_id",
            field=models.CharField(blank=True, default="", max_length=40),
            preserve_default=False,
        ),
        migrations.RunPython(find_creators, migrations.RunPython.noop),
    ]
