from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("builds", "0007_what_changed")]

    operations = [
        migrations.AddField(
            model_name="comparison",
            name="has_thumbnail",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="image",
            name="has_thumbnail",
            field=models.BooleanField(default=False),
        ),
    ]
