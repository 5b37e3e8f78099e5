"""``visual-review charges`` and ``visual-review retention``, each once in a separate process."""

import csv
import io
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.database import current_personas
from tests.support.servers.in_process_commands import run_in_process
from tests.support.servers.service import run
from tests.support.servers.worker import database_environment
from tests.support.worlds import World
from visual_review.billing.models import ChargePeriod
from visual_review.builds.models import Build
from visual_review.kernel.clock import now
from visual_review.repositories.models import Retention

pytestmark = pytest.mark.django_db(transaction=True)


def charge(world: World, name: str, start: datetime, end: datetime | None) -> None:
    ChargePeriod.objects.create(
        organization=world.persona.organization,
        product="recordings",
        subject_id=name,
        subject_name=name,
        price=900,
        currency="EUR",
        started_at=start,
        ended_at=end,
    )


def test_charges_prints_a_month_as_csv_and_rejects_other_input() -> None:
    world = World(current_personas().alice)
    charge(world, 'acme/"odd", name', datetime(2025, 11, 16, tzinfo=UTC), None)
    charge(world, "acme/over", datetime(2025, 1, 1, tzinfo=UTC), datetime(2025, 10, 31, tzinfo=UTC))
    done = run(["charges", "--month", "2025-11"], database_environment())
    assert (done.code, done.err) == (0, "")
    (row,) = csv.DictReader(io.StringIO(done.out))
    assert (row["repository"], row["days"], row["amount"]) == ('acme/"odd", name', "15", "4.50")
    refused = run_in_process(["charges", "--month", "November"], database_environment())
    assert (refused.code, refused.out) == (2, "")
    assert "'November' is not a month" in refused.err


def test_retention_lists_what_it_would_delete_and_then_deletes_it(blobs_folder: Path) -> None:
    world = World(current_personas().alice)
    Retention.objects.create(organization=world.persona.organization, builds_days=30)
    for color in ("red", "green"):
        build = world.publish({"button": color})
        world.approve(build)
    kept = world.publish({"button": "blue"})
    Build.objects.exclude(pk=kept.pk).update(created_at=now() - timedelta(days=90))
    past = Build.objects.get(number=1)
    env = database_environment(VISUAL_REVIEW_STORAGE_URL=blobs_folder.as_uri())
    shown = run_in_process(["retention", "--dry-run"], env)
    assert (shown.code, shown.err) == (0, "")
    assert past.id in shown.out
    assert kept.id not in shown.out
    assert Build.objects.count() == 3
    done = run(["retention"], env)
    assert done.code == 0, done.err
    lines = [line for line in shown.out.splitlines() if line.startswith("build\t")]
    assert done.out.startswith(f"Deleted {len(lines)} builds, 0 recordings")
    assert Build.objects.count() == 3 - len(lines)
    assert not Build.objects.filter(pk=past.pk).exists()
    assert Build.objects.filter(pk=kept.pk).exists()
    assert "build\t" not in run_in_process(["retention", "--dry-run"], env).out
