"""Store how captures switch the theme of a product."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("repositories", "0011_default_product")]

    operations = [
        migrations.AddField(
            model_name="product",
            name="theme_evidence",
            field=models.JSONField(null=True),
        ),
    ]
