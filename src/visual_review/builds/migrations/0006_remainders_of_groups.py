"""Groups know who has more changes; who changed otherwise in their family falls away."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("builds", "0005_seen_places"),)
    operations = (
        migrations.RemoveField("changegroup", "outliers"),
        migrations.AddField("changegroup", "remainders", models.JSONField(default=list)),
    )
