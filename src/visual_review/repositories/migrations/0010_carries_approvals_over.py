from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("repositories", "0009_faint_changes")]

    operations = [
        migrations.AddField(
            model_name="repository",
            name="carries_approvals_over",
            field=models.BooleanField(default=True, db_default=True),
        ),
    ]
