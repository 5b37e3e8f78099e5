"""Name the sent content of a message in Python; the columns stay as they are."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('builds', '0017_versions_of_baselines'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField(model_name='hostmessage', old_name='told', new_name='sent_content'),
                migrations.AlterField(
                    model_name='hostmessage',
                    name='sent_content',
                    field=models.JSONField(db_column='told', null=True),
                ),
                migrations.RenameField(model_name='hostmessage', old_name='told_revision', new_name='sent_revision'),
                migrations.AlterField(
                    model_name='hostmessage',
                    name='sent_revision',
                    field=models.PositiveIntegerField(db_column='told_revision', default=0),
                ),
            ],
        ),
    ]
