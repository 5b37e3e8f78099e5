"""Rows of a large organization, and the time for rendering its lists."""

import time
from collections.abc import Callable
from typing import Final

from django.db import connection, transaction
from django.test import Client
from django.urls import reverse

from benchmarks.multiplying import multiply
from visual_review.accounts.models import Organization, User
from visual_review.builds.models import Baseline, Build, PullRequest, Screenshot
from visual_review.kernel.clock import now
from visual_review.kernel.ids import new_id
from visual_review.repositories.connect import connect_repository

# The newest builds of each repository wait for a review, with so many screenshots each.
WAITING: Final = 2
SCREENSHOTS: Final = 60


def fill(repositories: int, builds: int) -> None:
    organization = Organization.objects.get()
    with transaction.atomic():
        for number in range(repositories):
            _fill_repository(organization, f"acme/app-{number:03}", builds // repositories)
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")


def _fill_repository(organization: Organization, name: str, builds: int) -> None:
    repository = connect_repository(organization.id, name, "main").repository
    repository.last_build_number = builds
    repository.save()
    product = repository.products.get()
    sample = Build(
        repository=repository,
        product=product,
        number=0,
        message="Give the cards more room",
        matrix=[["light", "desktop"]],
        baseline=Baseline.objects.create(product=product, branch="main", last_version=1),
        baseline_rule="target_branch",
        status="completed",
        changed_count=SCREENSHOTS,
        published_at=now(),
        completed_at=now(),
    )
    prefix = new_id("build")[:-6]
    waits = f"n > {builds - WAITING}"
    given = {
        "id": f"'{prefix}' || lpad(n::text, 6, '0')",
        "number": "n",
        "nonce": "'n' || n",
        "branch": "CASE WHEN mod(n, 4) = 0 THEN 'main' ELSE 'feature/cards-' || n / 5 END",
        "commit": "left(md5(n::text) || md5((n + 1)::text), 40)",
        "author": "'Person ' || mod(n, 30)",
        "pull_request": "CASE WHEN mod(n, 4) = 0 THEN NULL ELSE n / 5 + 1 END",
        "created_at": f"now() - ({builds} - n) * interval '1 hour'",
        "review_state": f"CASE WHEN {waits} THEN 'unreviewed' ELSE 'approved' END",
    }
    multiply(sample, builds, given)
    pull = PullRequest(repository=repository, number=0, title="Cards", state="open")
    multiply(pull, builds // 5, {"number": "n", "title": "'Cards with more room ' || n"})
    for build in Build.objects.filter(repository=repository).order_by("-number")[:WAITING]:
        _fill_build(build)


def _fill_build(build: Build) -> None:
    shot = Screenshot(build=build, theme="light", device="desktop", diff_state="changed")
    prefix = new_id("shot")[:-6]
    given = {
        "id": f"'{prefix}' || lpad(n::text, 6, '0')",
        "story_id": "'cards-card--' || n",
        "title": "'Cards/Card ' || n",
        "number": "n",
    }
    multiply(shot, SCREENSHOTS, given)


def measure(times: int) -> dict[str, tuple[list[float], int]]:
    """Return the seconds of each rendering of each page, and the number of queries."""
    client = Client(SERVER_NAME="localhost")
    user = User.objects.get()
    client.force_login(user)
    latest = Build.objects.latest("pk")
    repository = reverse("repository", args=[latest.repository_id])
    pages = {
        "home": "/",
        "repositories": "/repositories",
        "repositories, most waiting": "/repositories?order=waiting",
        "builds": repository,
        "builds, filtered": f"{repository}?q=state:approved+author:12+room",
        "search, by commit": f"/search?q={latest.commit[:10]}",
        "search, nothing found": "/search?q=nothing-has-this",
    }
    return {name: _measure_page(client, url, times) for name, url in pages.items()}


def _measure_page(client: Client, url: str, times: int) -> tuple[list[float], int]:
    client.get(url, secure=True)
    queries: list[str] = []

    def note(execute: Callable[..., object], sql: str, *arguments: object) -> object:
        queries.append(sql)
        return execute(sql, *arguments)

    with connection.execute_wrapper(note):
        response = client.get(url, secure=True)
    if "/sign-in" in response.headers.get("Location", ""):
        raise ValueError(f"{url} needs a sign-in")
    seconds = []
    for _ in range(times):
        started = time.perf_counter()
        client.get(url, secure=True)
        seconds.append(time.perf_counter() - started)
    return seconds, len(queries)
