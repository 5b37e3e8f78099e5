from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("builds", "0011_carried_from")]

    operations = [
        migrations.AddField(
            model_name="screenshot",
            name="notes",
            field=models.JSONField(
                db_default=models.Value([], models.JSONField()), default=list
            ),
        ),
    ]
