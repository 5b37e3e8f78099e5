"""Rows for benchmarks: many builds in several repositories, and builds of many screenshots."""

from dataclasses import dataclass

from django.db import connection, transaction
from django.db.models import Min

from benchmarks.multiplying import multiply
from visual_review.accounts.models import Organization
from visual_review.builds.models import Baseline, Build, Comparison, Image, Screenshot
from visual_review.builds.queries import count_screenshots, store_counts
from visual_review.builds.reviewing.writes import LoggedDecision, write_decision
from visual_review.builds.states import APPROVED, REJECTED
from visual_review.kernel.clock import now
from visual_review.repositories.models import Product, Repository

# One repository has most of the builds, as in an organization with a monorepo.
SHARES = {"acme/web": 0.6, "acme/shop": 0.2, "acme/docs": 0.1, "acme/mail": 0.07, "acme/kit": 0.03}
# Screenshots of other builds, so that the table is larger than one call's part.
OTHER_LARGE_BUILDS = 19
# One in 20 screenshots differs; ten of the differing ones have the following states.
WITH_STATE = (
    "(SELECT n, CASE WHEN mod(n, 20) > 0 THEN 'unchanged' "
    "ELSE (ARRAY['changed', 'changed', 'changed', 'changed', 'changed', 'changed', "
    "'new', 'new', 'removed', 'failed'])[mod(n / 20, 10) + 1] END AS state "
    "FROM generate_series(1, {count}) AS n) AS numbered"
)
BUILDS = {
    "number": "n",
    "nonce": "'nonce-' || n",
    "branch": "CASE WHEN mod(n, 3) = 0 THEN 'main' ELSE 'feature/cards-' || n / 5 END",
    "commit": "left(md5(n::text) || md5((n + 1)::text), 40)",
    "pull_request": "CASE WHEN mod(n, 3) = 0 THEN NULL ELSE n / 5 + 1 END",
    # One in 40 failed, and one in 40 expired; lists leave out both.
    "status": "coalesce((ARRAY['failed', 'expired'])[mod(n, 40)], 'completed')",
    "changed_count": "mod(n, 7)",
    "new_count": "mod(n, 3)",
    "unchanged_count": "1200 + mod(n, 13)",
    "review_state": "(ARRAY['approved','rejected','unreviewed','not_required'])[mod(n, 4) + 1]",
    "decision_source": "CASE WHEN mod(n, 4) < 2 THEN 'user' ELSE '' END",
}
SCREENSHOTS = {
    "story_id": "'components-card--with-a-longer-name-' || (n - 1) / 6",
    "title": "'Components/Card: with a longer name ' || (n - 1) / 6",
    "theme": "(ARRAY['light', 'dark'])[mod(n, 2) + 1]",
    "device": "(ARRAY['phone', 'tablet', 'desktop'])[mod(n / 2, 3) + 1]",
    "diff_state": "state",
    "diff_ratio": "CASE state WHEN 'changed' THEN 0.0131 WHEN 'new' THEN 1 ELSE 0 END",
    "message": "CASE WHEN state = 'failed' THEN 'The story threw an error.' ELSE '' END",
}


@dataclass(frozen=True)
class SeededData:
    """The arguments of calls: the largest repository, its large builds, screenshots to decide.

    ``build_id`` is the newest of ``build_ids``; the screenshots are its changed ones. All
    screenshots of ``decided_id``, the oldest build, were rejected and then approved.
    """

    repository_id: str
    build_id: str
    build_ids: tuple[str, ...]
    decided_id: str
    screenshot_ids: tuple[str, ...]


def fill(builds: int, screenshots: int) -> SeededData:
    """Fill a fresh service with one organization and nothing else."""
    seeded = seed(Organization.objects.get(), builds, screenshots)
    with connection.cursor() as cursor:
        # The database would do so after a while, and make better plans then.
        cursor.execute("VACUUM ANALYZE")
    connection.close()
    return seeded


@transaction.atomic
def seed(organization: Organization, builds: int, screenshots: int) -> SeededData:
    """Store repositories with ``builds`` builds, the newest ones with ``screenshots`` each."""
    listed, *_ = [
        _create_repository(organization, name, round(builds * share))
        for name, share in SHARES.items()
    ]
    image_columns = _create_images(organization, screenshots)
    newest = Build.objects.filter(repository=listed, status="completed").order_by("-number")
    large, *others = newest[: OTHER_LARGE_BUILDS + 1]
    for build in (large, *others):
        _create_screenshots(build, screenshots, image_columns)
        # Stored as in the worker: the counts tell that a build is large.
        store_counts(build, count_screenshots(build))
        build.save()
    _make_undecided(large)
    _decide_twice(others[-1])
    changed = Screenshot.objects.filter(build=large, diff_state="changed").order_by("id")
    return SeededData(
        listed.id,
        large.id,
        tuple(build.id for build in (large, *others)),
        others[-1].id,
        tuple(changed.values_list("id", flat=True)),
    )


def _make_undecided(build: Build) -> None:
    build.review_state, build.decision_source, build.decided_at = "unreviewed", "", None
    build.superseded_by = None
    build.save()


def _decide_twice(build: Build) -> None:
    ids = list(Screenshot.objects.filter(build=build).values_list("id", flat=True))
    for decision in (REJECTED, APPROVED):
        logged = LoggedDecision(decision, "user", "", "Olivia Owner", "")
        write_decision(build, ids, logged)


def _create_repository(organization: Organization, name: str, builds: int) -> Repository:
    row = Repository.objects.create(
        organization=organization, full_name=name, last_build_number=builds
    )
    product, docs = (
        Product.objects.create(repository=row, key=key, detection_armed=False)
        for key in ("default", "docs")
    )
    sample = Build(
        repository=row,
        message="Give the cards more room",
        matrix=[[theme, device] for theme in ("light", "dark") for device in ("phone", "desktop")],
        renderer={"name": "chromium", "version": "140.0"},
        baseline=Baseline.objects.create(product=product, branch="main", last_version=7),
        baseline_rule="target_branch",
        baseline_version=7,
        published_at=now(),
        completed_at=now(),
        decided_by_name="Olivia Owner",
        decided_at=now(),
    )
    later = _id_sql("build", row.id, "n + 1")
    owned = {
        "id": _id_sql("build", row.id, "n"),
        "product_id": f"CASE WHEN mod(n, 4) = 0 THEN '{docs.id}' ELSE '{product.id}' END",
        "superseded_by_id": f"CASE WHEN mod(n, 4) = 2 AND n < {builds} THEN {later} END",
        "created_at": f"now() - ({builds} - n) * interval '10 minutes'",
    }
    multiply(sample, builds, BUILDS | owned)
    return row


def _id_sql(prefix: str, owner: str, number: str) -> str:
    """Return SQL for an ID that grows with the number, as IDs grow with time."""
    return f"'{prefix}_' || lpad(to_hex({number}), 10, '0') || left(md5('{owner}' || {number}), 16)"


def _create_images(organization: Organization, count: int) -> dict[str, str]:
    """Store images and comparisons, shared by all large builds; return SQL for their columns."""
    image = Image(organization=organization, width=390, height=844, size=31_000)
    # The first half are baseline images, the second half images of changed screenshots.
    multiply(image, 2 * count, {"sha256": _hash_sql("file"), "pixels_sha256": _hash_sql("pixels")})
    comparison = Comparison(
        organization=organization,
        diff_pixels=812,
        diff_ratio=0.0131,
        reason="pixels",
        boxes=[{"x": 12, "y": 40, "width": 120, "height": 32}],
        has_picture=True,
    )
    multiply(comparison, count, {"key": _hash_sql("pair")})
    before = f"{_first_id(Image, organization)} + n - 1"
    pair = f"{_first_id(Comparison, organization)} + n - 1"
    return {
        "baseline_image_id": f"CASE WHEN state <> 'new' THEN {before} END",
        "image_id": f"CASE WHEN state = 'unchanged' THEN {before} "
        f"WHEN state IN ('changed', 'new') THEN {before} + {count} END",
        "comparison_id": f"CASE WHEN state = 'changed' THEN {pair} END",
    }


def _first_id(model: type[Image | Comparison], organization: Organization) -> int:
    found = model.objects.filter(organization=organization).aggregate(first=Min("id"))
    return int(found["first"])


def _hash_sql(what: str) -> str:
    return f"md5('{what}' || n) || md5('more {what}' || n)"


def _create_screenshots(build: Build, count: int, image_columns: dict[str, str]) -> None:
    owned = {"id": _id_sql("shot", build.id, "n"), "sha256": _hash_sql("file")}
    sample = Screenshot(build=build, width=390, height=844)
    multiply(sample, count, SCREENSHOTS | owned | image_columns, WITH_STATE)
