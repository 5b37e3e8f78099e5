from django.db import migrations, models
import django.db.models.deletion


class Migration(migrations.Migration):
    dependencies = [("builds", "0009_decision_batches")]

    operations = [
        migrations.AddField(
            model_name="build",
            name="revision",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="screenshot",
            name="unstable",
            field=models.TextField(blank=True, default=""),
            preserve_default=False,
        ),
        migrations.AddIndex(
            model_name="reviewentry",
            index=models.Index(fields=["build", "id"], name="review_log_of_build"),
        ),
        migrations.AlterField(
            model_name="reviewentry",
            name="build",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="review_log",
                to="builds.build",
            ),
        ),
    ]
