from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('builds', '0002_announced_images'),
    ]

    operations = [
        migrations.AddField(
            model_name='baselinemove',
            name='client',
            field=models.CharField(blank=True, max_length=300),
        ),
        migrations.AddField(
            model_name='baselinemove',
            name='source',
            field=models.CharField(blank=True, max_length=12),
        ),
        migrations.AddField(
            model_name='build',
            name='decided_client',
            field=models.CharField(blank=True, max_length=300),
        ),
        migrations.AddField(
            model_name='screenshot',
            name='decided_client',
            field=models.CharField(blank=True, max_length=300),
        ),
    ]
