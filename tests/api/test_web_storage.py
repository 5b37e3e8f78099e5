"""The page Storage: usage, retention and charges."""

from datetime import timedelta
from typing import Any

from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from procrastinate.contrib.django.models import ProcrastinateJob
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.worlds import World, png
from visual_review.audit.models import AuditEntry
from visual_review.billing.models import ChargePeriod
from visual_review.billing.prices import Price
from visual_review.jobs.upkeep.measure_storage import measure_storage
from visual_review.kernel.blobs import blob_store
from visual_review.kernel.clock import now
from visual_review.recordings.models import Attachment, Recording
from visual_review.repositories.models import Product, Repository, Retention, StorageUse


def size(*colors: str) -> int:
    return sum(len(png(color)) for color in colors)


def record(world: World, **fields: Any) -> Recording:  # noqa: ANN401 - The row's own fields.
    product = Product.objects.get(repository=world.repository)
    facts = {"repository": world.repository, "product": product, "title": "x", "part_size": 1}
    return Recording.objects.create(**{**facts, **fields})


def post(client: Client, url: str, **payload: str) -> list[str]:
    """Press a button; return the messages for the next page."""
    response = client.post(url, payload)
    assert response.status_code == 302
    return [str(message) for message in get_messages(response.wsgi_request)]


def test_images_count_for_each_repository_and_once_for_the_organization(
    world: World, personas: Personas
) -> None:
    world.approve(world.publish({"a": "red", "b": "blue"}))
    world.publish({"a": "green", "b": "blue"})
    other = World(personas.alice, "acme/docs")
    other.publish({"a": "red", "b": "red"})
    World(personas.mallory).publish({"a": "black"})
    here = f"{world.repository.organization_id}/{world.repository.id}"
    blob_store().put(f"drawn/{here}/ab/abc.png", b"12345")
    measure_storage(organization_id=personas.alice.organization.id)
    web = StorageUse.objects.get(repository=world.repository)
    assert (web.images, web.images_bytes) == (3, size("red", "blue", "green"))
    assert web.pictures_bytes == 5
    docs = StorageUse.objects.get(repository=other.repository)
    assert (docs.images, docs.images_bytes) == (1, size("red"))
    total = StorageUse.objects.get(repository=None)
    assert (total.images, total.images_bytes) == (3, size("red", "blue", "green"))
    assert total.pictures_bytes == 5 + sum(size for _, size in blob_store().sizes("diffs"))


def test_recordings_count_their_stored_files(world: World) -> None:
    ready = record(world, key="1", status="ready", size=100)
    record(world, key="2", status="failed", size=100, original_name="original.webm")
    record(world, key="3", status="uploading", size=30)
    Attachment.objects.create(recording=ready, name="t", size=9, stored_at="2026-01-01T00:00Z")
    Attachment.objects.create(recording=ready, name="u", size=50)
    record(world, key="4", status="ready", size=9, deleted_at="2026-01-01T00:00Z")
    measure_storage(organization_id=world.repository.organization_id)
    use = StorageUse.objects.get(repository=world.repository)
    assert (use.recordings, use.recordings_bytes) == (3, 100 + 100 + 30 + 9)


def test_measuring_again_replaces_what_was_measured(world: World, owner: Client) -> None:
    assert "Being measured" in owner.get("/storage").content.decode()
    assert ProcrastinateJob.objects.get(task_name="measure_storage")
    for _ in range(2):
        assert "being measured" in post(owner, "/storage/measure")[0]
        measure_storage(**ProcrastinateJob.objects.get(task_name="measure_storage").args)
    assert StorageUse.objects.count() == 2
    page = owner.get("/storage").content.decode()
    assert "acme/web" in page
    assert "Being measured" not in page
    assert not AuditEntry.objects.exists()
    assert world.repository


def test_growth_is_since_the_oldest_measurement_of_a_month(world: World, owner: Client) -> None:
    organization_id = world.repository.organization_id
    for days, size in ((40, 1), (20, 3 << 20), (1, 9 << 20)):
        use = StorageUse(organization_id=organization_id, images_bytes=size)
        use.measured_at = now() - timedelta(days=days)
        use.save()
    world.publish({"a": "red"})
    measure_storage(organization_id=organization_id)
    sizes = StorageUse.objects.filter(repository=None).order_by("measured_at")
    assert list(sizes.values_list("images_bytes", flat=True)[:2]) == [3 << 20, 9 << 20]
    page = owner.get("/storage").content.decode()
    assert "-3.0\xa0MB" in page
    assert "in 20 days" in page
    assert "Known tomorrow" in page


def test_retention_is_saved_and_errors_are_shown(world: World, owner: Client) -> None:
    days = {"buildsDays": "90", "imagesDays": "3", "recordingsDays": "0"}
    assert "saved" in post(owner, "/storage/retention", **days)[0]
    stored = Retention.objects.get()
    assert (stored.builds_days, stored.images_days, stored.recordings_days) == (90, 3, None)
    for name, odd in (("buildsDays", "x"), ("imagesDays", ""), ("recordingsDays", "9" * 5000)):
        assert "Nothing was saved" in post(owner, "/storage/retention", **{**days, name: odd})[-1]
    assert (
        "must be at most" in post(owner, "/storage/retention", **{**days, "imagesDays": "9999"})[-1]
    )
    assert Retention.objects.get().images_days == 3
    assert 'value="90"' in owner.get("/storage").content.decode()
    assert world.repository


def test_a_repository_has_its_own_retention_or_the_organizations(
    world: World, owner: Client
) -> None:
    url = f"/repositories/{world.repository.id}/retention"
    post(owner, url, buildsDays="10", recordingsDays="0")
    row = Repository.objects.get()
    assert (row.keep_builds_days, row.keep_recordings_days) == (10, 0)
    post(owner, url, buildsDays=" ", recordingsDays="-1")
    row.refresh_from_db()
    assert (row.keep_builds_days, row.keep_recordings_days) == (10, 0)
    post(owner, url, buildsDays="", recordingsDays="5")
    row.refresh_from_db()
    assert (row.keep_builds_days, row.keep_recordings_days) == (None, 5)


def test_current_charges_are_shown_with_the_providers_message(
    world: World, owner: Client, settings: Settings
) -> None:
    settings.RECORDINGS_PRICE = Price(900, "EUR")
    world.act("enable_recordings", repoId=world.repository.id)
    ChargePeriod.objects.update(provider_problem="Stripe could not collect invoice A-7.")
    page = owner.get("/storage").content.decode()
    assert "Recordings of acme/web" in page
    assert "9.00 EUR" in page
    assert "could not collect invoice A-7" in page
    world.act("disable_recordings", repoId=world.repository.id)
    assert "No current charges" in owner.get("/storage").content.decode()


def test_storage_requires_permission_to_manage_repositories(
    case: Case, world: World, personas: Personas
) -> None:
    for name in ("bob", "carol"):
        with case(name):
            client = signed_in(getattr(personas, name))
            assert client.get("/storage").status_code == 403
            for url in ("/storage/measure", "/storage/retention"):
                payload = {"buildsDays": "1", "imagesDays": "1", "recordingsDays": "1"}
                assert client.post(url, payload).status_code == 403
            assert not Retention.objects.exists()
            assert world.repository


def test_the_number_of_queries_does_not_grow_with_repositories(
    world: World,
    owner: Client,
    personas: Personas,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    organization = personas.alice.organization.id
    measure_storage(organization_id=organization)
    with CaptureQueriesContext(connection) as few:
        owner.get("/storage")
    for number in range(5):
        other = World(personas.alice, f"acme/more-{number}")
        other.act("enable_recordings", repoId=other.repository.id)
    measure_storage(organization_id=organization)
    with django_assert_num_queries(len(few)):
        owner.get("/storage")
    assert world.repository
