"""Name the versions of baselines in Python; tables, columns and rows stay as they are."""

import django.db.models.functions.comparison
from django.db import migrations, models

import visual_review.kernel.clock


class Migration(migrations.Migration):

    dependencies = [
        ('builds', '0016_indexes_of_long_histories'),
    ]

    operations = [
        migrations.AlterModelTable(name='baselinemove', table='builds_baselinemove'),
        # Also renames the content type.
        migrations.RenameModel(old_name='BaselineMove', new_name='BaselineVersion'),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveConstraint(model_name='baselineentry', name='one_live_entry_a_variant'),
                migrations.RemoveIndex(model_name='baselineentry', name='entries_by_end'),
                migrations.RemoveIndex(model_name='baselineentry', name='entries_of_variant'),
                migrations.RenameField(model_name='baseline', old_name='last_move', new_name='last_version'),
                migrations.AlterField(
                    model_name='baseline',
                    name='last_version',
                    field=models.PositiveIntegerField(db_column='last_move', default=0),
                ),
                migrations.RenameField(model_name='build', old_name='baseline_move', new_name='baseline_version'),
                migrations.AlterField(
                    model_name='build',
                    name='baseline_version',
                    field=models.PositiveIntegerField(db_column='baseline_move', default=0),
                ),
                migrations.RenameField(model_name='baselineentry', old_name='from_move', new_name='from_version'),
                migrations.AlterField(
                    model_name='baselineentry',
                    name='from_version',
                    field=models.PositiveIntegerField(db_column='from_move'),
                ),
                migrations.RenameField(model_name='baselineentry', old_name='to_move', new_name='to_version'),
                migrations.AlterField(
                    model_name='baselineentry',
                    name='to_version',
                    field=models.PositiveIntegerField(db_column='to_move', null=True),
                ),
                migrations.RenameField(model_name='baselineversion', old_name='moved_by_id', new_name='created_by_id'),
                migrations.AlterField(
                    model_name='baselineversion',
                    name='created_by_id',
                    field=models.CharField(blank=True, db_column='moved_by_id', max_length=40),
                ),
                migrations.RenameField(model_name='baselineversion', old_name='moved_by_name', new_name='created_by_name'),
                migrations.AlterField(
                    model_name='baselineversion',
                    name='created_by_name',
                    field=models.CharField(blank=True, db_column='moved_by_name', max_length=300),
                ),
                migrations.RenameField(model_name='baselineversion', old_name='moved_at', new_name='created_at'),
                migrations.AlterField(
                    model_name='baselineversion',
                    name='created_at',
                    field=models.DateTimeField(db_column='moved_at', default=visual_review.kernel.clock.now),
                ),
                migrations.AlterField(
                    model_name='baselineversion',
                    name='baseline',
                    field=models.ForeignKey(on_delete=models.deletion.CASCADE, related_name='versions', to='builds.baseline'),
                ),
                migrations.AlterField(
                    model_name='baselineversion',
                    name='build',
                    field=models.ForeignKey(null=True, on_delete=models.deletion.SET_NULL, related_name='versions', to='builds.build'),
                ),
                migrations.AddConstraint(
                    model_name='baselineentry',
                    constraint=models.UniqueConstraint(condition=models.Q(('to_version', None)), fields=('baseline', 'story_id', 'theme', 'device'), name='one_live_entry_a_variant'),
                ),
                migrations.AddIndex(
                    model_name='baselineentry',
                    index=models.Index(models.F('baseline'), django.db.models.functions.comparison.Coalesce('to_version', models.Value(2147483647)), name='entries_by_end'),
                ),
                migrations.AddIndex(
                    model_name='baselineentry',
                    index=models.Index(fields=['baseline', 'story_id', 'theme', 'device', 'from_version'], name='entries_of_variant'),
                ),
            ],
        ),
    ]
