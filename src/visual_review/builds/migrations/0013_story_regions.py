from django.db import migrations, models


def _regions() -> models.JSONField:
    return models.JSONField(db_default=models.Value([], models.JSONField()), default=list)


class Migration(migrations.Migration):
    dependencies = [("builds", "0012_notes")]

    operations = [
        migrations.AddField("screenshot", "regions", _regions()),
        migrations.AddField("baselineentry", "regions", _regions()),
    ]
