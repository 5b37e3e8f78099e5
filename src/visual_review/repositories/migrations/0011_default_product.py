"""Store which product is the default one of each repository."""

from django.db import migrations, models

# Published are those with builds, recordings or what these leave when they expire. Rows other
# than `default` were created by their first publish, so their age is its order.
STORE = """
UPDATE repositories_repository AS repository SET default_product = coalesce(
    (
        SELECT product.key FROM repositories_product AS product
        WHERE product.repository_id = repository.id AND (
            EXISTS (SELECT FROM builds_build WHERE product_id = product.id)
            OR EXISTS (SELECT FROM builds_baseline WHERE product_id = product.id)
            OR EXISTS (SELECT FROM recordings_recording WHERE product_id = product.id)
            OR EXISTS (SELECT FROM recordings_linkedtest WHERE product_id = product.id)
        )
        ORDER BY product.key <> 'default', product.created_at, product.key LIMIT 1
    ),
    (
        SELECT product.key FROM repositories_product AS product
        WHERE product.repository_id = repository.id AND product.key <> 'default'
        ORDER BY product.created_at, product.key LIMIT 1
    ),
    CASE WHEN repository.last_build_number > 0 THEN 'default' ELSE '' END
)
"""


class Migration(migrations.Migration):

    dependencies = [
        ('builds', '0001_initial'),
        ('recordings', '0001_initial'),
        ('repositories', '0010_carries_approvals_over'),
    ]

    operations = [
        migrations.AddField(
            model_name='repository',
            name='default_product',
            field=models.CharField(blank=True, max_length=64),
        ),
        migrations.RunSQL(STORE, migrations.RunSQL.noop),
    ]
