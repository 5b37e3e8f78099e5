from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('recordings', '0003_names_of_tests'),
    ]

    operations = [
        migrations.RemoveField(model_name='recording', name='poster_name'),
        migrations.RemoveField(model_name='recording', name='video_name'),
        migrations.RemoveField(model_name='recording', name='video_size'),
    ]
