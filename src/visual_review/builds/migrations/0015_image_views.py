from django.db import migrations, models

from visual_review.kernel.clock import now


class Migration(migrations.Migration):
    dependencies = [("builds", "0014_numbers")]

    operations = [
        migrations.AddField("reviewentry", "evidence", models.JSONField(null=True)),
        migrations.CreateModel(
            name="ImageView",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("viewer", models.CharField(max_length=40)),
                ("client", models.CharField(blank=True, max_length=300)),
                ("client_version", models.CharField(blank=True, max_length=100)),
                ("form", models.CharField(max_length=20)),
                ("before_image", models.BigIntegerField(default=0)),
                ("after_image", models.BigIntegerField(default=0)),
                ("before_sha256", models.CharField(blank=True, max_length=64)),
                ("after_sha256", models.CharField(blank=True, max_length=64)),
                ("scale", models.FloatField()),
                ("viewed_at", models.DateTimeField(default=now)),
                (
                    "build",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=models.CASCADE,
                        related_name="+",
                        to="builds.build",
                    ),
                ),
                (
                    "screenshot",
                    models.ForeignKey(
                        on_delete=models.CASCADE, related_name="+", to="builds.screenshot"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=(
                            "build",
                            "viewer",
                            "screenshot",
                            "form",
                            "before_image",
                            "after_image",
                            "client",
                            "client_version",
                        ),
                        name="one_view_a_form",
                    )
                ],
            },
        ),
    ]
