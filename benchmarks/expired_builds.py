"""Builds past their retention with images, and the worker's time for deleting them."""

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Final

from django.db import connection, transaction
from procrastinate.contrib.django import app
from procrastinate.tasks import configure_task
from scripts.demo_folder import DemoError

from benchmarks.multiplying import multiply
from visual_review.accounts.models import Organization
from visual_review.builds.images.blob_keys import (
    change_thumbnail_key_of,
    diff_image_key_of,
    image_key_of,
    image_thumbnail_key_of,
)
from visual_review.builds.models import (
    Baseline,
    BaselineEntry,
    BaselineVersion,
    Build,
    Comparison,
    Image,
    ReviewEntry,
    Screenshot,
)
from visual_review.kernel.blobs import BlobStore, blob_store
from visual_review.kernel.clock import now
from visual_review.repositories.models import Product, Repository, Retention

LIMIT_DAYS: Final = 30
# Longer ago than any build is kept beyond the limit.
AGE: Final = timedelta(days=400)
# One screenshot in so many differs: its image and its comparison belong to one build only.
DIFFERS: Final = 20
MOST_SECONDS: Final = 1200.0
POLL_SECONDS: Final = 0.5
FILE: Final = b"x" * 2000
ID: Final = "lpad(to_hex({number}), 10, '0') || left(md5('{salt}' || {number}), 16)"


def fill(builds: int, screenshots: int) -> None:
    """Store approved builds that are due, the baseline of their comparisons, and the files."""
    organization = Organization.objects.get()
    with transaction.atomic():
        Retention.objects.create(organization=organization, builds_days=LIMIT_DAYS)
        _store_rows(organization, builds, screenshots)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    _store_files(organization.id, blob_store())


def _store_rows(organization: Organization, builds: int, screenshots: int) -> None:
    repository = Repository.objects.create(
        organization=organization, full_name="acme/web", last_build_number=builds
    )
    product = Product.objects.create(repository=repository, key="default", detection_armed=False)
    baseline = Baseline.objects.create(product=product, branch="main", last_version=1)
    BaselineVersion.objects.create(baseline=baseline, sequence=1, kind="approval")
    changed = builds * (screenshots // DIFFERS)
    image = Image(organization=organization, width=390, height=844, size=len(FILE))
    image.created_at = now() - AGE
    # The first images are the baseline's.
    hashes = {"sha256": _hash("file"), "pixels_sha256": _hash("pixels")}
    multiply(image, screenshots + changed, {"id": "n", **hashes})
    entry = BaselineEntry(baseline=baseline, theme="light", device="phone", from_version=1)
    multiply(entry, screenshots, {"story_id": "'story-' || n", "image_id": "n"})
    comparison = Comparison(
        organization=organization, diff_pixels=812, diff_ratio=0.01, reason="pixels"
    )
    comparison.created_at = image.created_at
    multiply(comparison, changed, {"id": "n", "key": _hash("pair")})
    _store_builds(repository, baseline, builds)
    _store_screenshots(builds, screenshots)


def _store_builds(repository: Repository, baseline: Baseline, builds: int) -> None:
    build = Build(
        repository=repository,
        product=baseline.product,
        commit="c0ffee1",
        status="completed",
        review_state="approved",
        baseline=baseline,
        baseline_version=1,
        baseline_rule="target_branch",
        created_at=now() - AGE,
    )
    columns = {
        "id": "'build_' || " + ID.format(number="n", salt="build"),
        "number": "n",
        "nonce": "'nonce-' || n",
        "branch": "'feature-' || n / 10",
        "pull_request": "n / 10 + 1",
    }
    multiply(build, builds, columns)


def _store_screenshots(builds: int, screenshots: int) -> None:
    build = "'build_' || " + ID.format(number="b", salt="build")
    each = f"generate_series(1, {builds}) AS b, generate_series(1, {screenshots}) AS s"
    differing = screenshots // DIFFERS
    # The first screenshots of each build differ.
    own = f"(b - 1) * {differing} + s"
    shot = Screenshot(theme="light", device="phone", width=390, height=844, build_id="")
    shot_id = "'shot_' || " + ID.format(number=f"((b - 1) * {screenshots} + s)", salt="shot")
    columns = {
        "id": shot_id,
        "build_id": build,
        "story_id": "'story-' || s",
        "title": "'Components/Card ' || s",
        "diff_state": f"CASE WHEN s <= {differing} THEN 'changed' ELSE 'unchanged' END",
        "image_id": f"CASE WHEN s <= {differing} THEN {screenshots} + {own} ELSE s END",
        "baseline_image_id": "s",
        "comparison_id": f"CASE WHEN s <= {differing} THEN {own} END",
    }
    multiply(shot, 0, columns, each)
    log = ReviewEntry(build_id="", decision="approved", source="user", decided_by_name="Olivia")
    log.decided_at = now() - AGE
    columns = {
        "build_id": build,
        "screenshot_id": shot_id,
        "baseline_id": "(SELECT id FROM builds_baseline)",
        "story_id": "'story-' || s",
        "theme": "'light'",
        "device": "'phone'",
        "left_image_id": "s",
        "right_image_id": f"{screenshots} + {own}",
    }
    multiply(log, 0, columns, f"{each} WHERE s <= {differing}")


def _hash(what: str) -> str:
    return f"md5('{what}' || n) || md5('more {what}' || n)"


def _store_files(organization_id: str, blobs: BlobStore) -> None:
    hashes = Image.objects.order_by("pk").values_list("sha256", flat=True)
    keys = Comparison.objects.values_list("key", flat=True)
    stored = [
        of(organization_id, each)
        for each in hashes
        for of in (image_key_of, image_thumbnail_key_of)
    ]
    stored += [
        of(organization_id, each)
        for each in keys
        for of in (diff_image_key_of, change_thumbnail_key_of)
    ]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda key: blobs.put(key, FILE), stored))


def clean() -> float:
    """Start the nightly sweep; return the seconds until rows and files are deleted."""
    began = time.monotonic()
    configure_task(name="sweep_retention", job_manager=app.job_manager, queue="upkeep").defer(
        timestamp=0
    )
    entries = BaselineEntry.objects.count()
    while Build.objects.exists() or Comparison.objects.exists() or _are_files_left(entries):
        if time.monotonic() - began > MOST_SECONDS:
            raise DemoError(f"{Build.objects.count()} builds are left; see the server's log.")
        time.sleep(POLL_SECONDS)
    return time.monotonic() - began


def _are_files_left(entries: int) -> bool:
    if Image.objects.count() > entries:
        return True
    blobs = blob_store()
    return any(blobs.keys("diffs")) or sum(1 for _ in blobs.keys("images")) > entries
