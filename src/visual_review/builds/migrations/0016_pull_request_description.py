from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("builds", "0015_image_views")]

    operations = [
        migrations.AddField(
            model_name="pullrequest",
            name="description",
            field=models.TextField(blank=True, db_default="", default=""),
        )
    ]
