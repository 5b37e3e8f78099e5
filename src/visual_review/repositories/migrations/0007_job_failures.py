from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('repositories', '0006_theme_evidence_of_builds'),
        ('procrastinate', '0041_post_retry_failed_job'),
    ]

    operations = [
        migrations.CreateModel(
            name='JobFailure',
            fields=[
                ('job_id', models.BigIntegerField(primary_key=True, serialize=False)),
                ('reason', models.TextField()),
            ],
        ),
        # Home asks for failed jobs, next to a week of finished ones.
        migrations.RunSQL(
            "CREATE INDEX failed_jobs ON procrastinate_jobs (id) WHERE status = 'failed'",
            'DROP INDEX failed_jobs',
        ),
    ]
