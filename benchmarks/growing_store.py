"""A growing store: data read by the calls for the newest builds before and after.

Two repositories: one has many builds with few screenshots, the other one large builds. All copied
builds, and the builds of the calls, were published over HTTP.
"""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from django.test import Client
from django.urls import reverse
from scripts.demo_folder import DemoError
from scripts.demo_server import DemoServer

from benchmarks.build_pages import SIZES, encode_pages
from benchmarks.growth import analyze, grow
from benchmarks.large_build import Project, Shots, hash_of
from benchmarks.query_plans import ExplainedQuery, explain_queries, plans_by_index
from visual_review.accounts.models import User
from visual_review.builds.models import (
    Baseline,
    BaselineEntry,
    Build,
    Image,
    Screenshot,
)
from visual_review.builds.variants import Variant

PULL: Final = {"branch": "feature-1", "pullRequest": 1, "baseBranch": "main"}
# Each batch changes other stories: pairs with a known verdict are not compared again.
BATCHES: Final = 3


@dataclass(frozen=True)
class Size:
    """Of a repository: stories in six variants; how many screenshots each build changes."""

    name: str
    stories: int
    changed: int
    few: int
    many: int


@dataclass
class GrowingRepository:
    """A repository that receives builds; ``newest`` is the newest build, with open changes."""

    server: DemoServer
    size: Size
    newest: str = ""

    def __post_init__(self) -> None:
        stories = -(-self.size.changed // len(SIZES))
        readable = min(self.size.stories, BATCHES * stories)
        self.project = Project(self.server.url, self.size.stories, readable, self.size.name)
        self._approve(self.project.publish_unread(self.project.shots, self.project.pages))
        self._approve(self._publish(0))
        self._approve(self._publish(1, **PULL))

    def publish_newest(self) -> float:
        """Publish a build with changes and without decisions; return the seconds to the verdict."""
        self.newest = self._publish(2)
        return self.project.finish(self.newest)

    def _approve(self, build: str) -> None:
        self.project.finish(build)
        self.server.act("approve_build", buildId=build)

    def _publish(self, batch: int, **facts: object) -> str:
        """Upload a build; the screenshots of one batch differ from the baseline."""
        keys = list(self.project.pages)[batch * self.size.changed :][: self.size.changed]
        pages = encode_pages({story for story, _ in keys}, changed=True)
        changed = {key: pages[key] for key in keys}
        shots = self._baseline() | {key: hash_of(data) for key, data in changed.items()}
        return self.project.publish_unread(shots, changed, **facts)

    def _baseline(self) -> Shots:
        entries = BaselineEntry.objects.filter(
            baseline__product__repository=self.project.repository,
            baseline__branch="main",
            to_version=None,
        )
        found = entries.values_list("story_id", "theme", "device", "image__sha256")
        return {
            (int(story.rpartition("-")[2]), Variant(theme, device)): sha256
            for story, theme, device, sha256 in found
        }


@dataclass(frozen=True)
class Reads:
    """The reads of one call: its queries, and their buffers of 8 KB."""

    queries: list[ExplainedQuery]

    @property
    def buffers(self) -> int:
        return sum(query.buffers for query in self.queries)

    @property
    def searches(self) -> int:
        return sum(query.searches for query in self.queries)


def measure(
    server: DemoServer, sizes: list[Size], say: Callable[[object], None]
) -> dict[str, tuple["Reads", "Reads"]]:
    """Return the reads of each call in a store of few builds, and in the same one of many."""
    client = Client(SERVER_NAME="localhost")
    client.force_login(User.objects.get())
    rows = [GrowingRepository(server, size) for size in sizes]
    found = []
    for step in ("few", "many"):
        for row in rows:
            grow(row.project.repository, getattr(row.size, step))
        analyze()
        for row in rows:
            seconds = row.publish_newest()
            say(f"{row.size.name}: {seconds:.1f} s to the verdict of the newest build")
        analyze()
        say(_describe())
        calls = _calls(server, *rows)
        with plans_by_index() if step == "few" else nullcontext():
            found.append({name: _measure(client, call) for name, call in calls.items()})
    small, large = found
    return {name: (small[name], large[name]) for name in small}


def _describe() -> str:
    shots, images = Screenshot.objects.count(), Image.objects.count()
    return (
        f"{Build.objects.count():,} builds, {shots:,} screenshots, {images:,} images "
        f"({images / shots:.1%} distinct)"
    )


@dataclass(frozen=True)
class Call:
    """A page, or with ``body`` an action over REST; ``key`` is the bearer credential."""

    path: str
    body: Mapping[str, object] | None = None
    key: str = ""

    def send(self, client: Client) -> None:
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        if self.body is None:
            response = client.get(self.path, headers=headers, secure=True)
        else:
            response = client.post(
                self.path, self.body, "application/json", headers=headers, secure=True
            )
        if response.status_code != HTTPStatus.OK:
            raise DemoError(f"{self.path}: {response.status_code} {response.content[:300]!r}")


def _measure(client: Client, call: Call) -> Reads:
    # The first call also fills the caches between calls.
    call.send(client)
    with explain_queries() as queries:
        call.send(client)
    return Reads(queries)


def _calls(
    server: DemoServer, many: GrowingRepository, large: GrowingRepository
) -> dict[str, Call]:
    return (
        _actions(server.key, many.project.repository.id, many.newest, large.newest)
        | _pages(many, large)
        | _ci_calls(many)
    )


def _actions(key: str, repository: str, small: str, large: str) -> dict[str, Call]:
    pull = Build.objects.filter(repository=repository, pull_request__isnull=False)
    newest = pull.latest("number")
    repo, story = {"repoId": repository}, "components-card--with-a-longer-name-0"
    calls: list[tuple[str, str, Mapping[str, object]]] = [
        ("list_repos", "", {}),
        ("list_builds", "", repo),
        ("find_builds", " by pull request", {**repo, "pullRequest": newest.pull_request}),
        ("find_builds", " by branch", {**repo, "branch": "main"}),
        ("find_builds", " by commit", {"commit": newest.commit[:10]}),
        ("find_builds", ", newest", {}),
        ("find_builds", ", older", {**repo, "cursor": newest.id}),
        ("get_history", "", {**repo, "storyId": story}),
        ("get_build", ", small", {"buildId": small}),
        ("get_build", ", large", {"buildId": large}),
        ("list_changes", ", small", {"buildId": small}),
        ("list_changes", ", large", {"buildId": large}),
        ("get_decisions", "", {"buildId": newest.id}),
    ]
    return {
        f"{action}{what}": Call(f"/api/rest/actions/{action}", values, key)
        for action, what, values in calls
    }


def _pages(many: GrowingRepository, large: GrowingRepository) -> dict[str, Call]:
    repository = reverse("repository", args=[many.project.repository.id])
    build = reverse("build", args=[large.newest])
    baseline = reverse(
        "baseline",
        args=[
            Baseline.objects.get(
                product__repository=many.project.repository, head_repository="", branch="main"
            ).id
        ],
    )
    pull = Build.objects.filter(repository=many.project.repository).latest("pull_request")
    pages = {
        "home": "/",
        "repositories": "/repositories",
        "builds": repository,
        "builds, filtered": f"{repository}?q=state:approved+branch:main",
        "build": build,
        "build, index": f"{build}/review.json",
        "build, unchanged": f"{build}/review.json?part=unchanged",
        "build, log": f"{build}/log.json",
        "baselines": f"{repository}/baselines",
        "baseline": baseline,
        "baseline, screenshots": f"{baseline}/screenshots",
        "story": f"{repository}/stories/components-card--with-a-longer-name-0",
        "search, by commit": f"/search?q={pull.commit[:10]}",
        "search, by pull request": f"/search?q={pull.pull_request}",
        "search, nothing found": "/search?q=nothing-has-this",
        "storage": "/storage",
        "audit": "/audit",
        "outbox": f"{repository}/outbox",
        "next build": "/next-build",
    }
    return {f"page: {name}": Call(path) for name, path in pages.items()}


def _ci_calls(row: GrowingRepository) -> dict[str, Call]:
    paths = {
        "capture plan": "capture-plan?branch=main",
        "capture plan, pull request": "capture-plan?branch=feature-new&pullRequest=1000000"
        "&baseBranch=main",
        "build": f"builds/{row.newest}",
    }
    return {
        f"CI: {name}": Call(f"/api/ci/{path}", key=row.project.token)
        for name, path in paths.items()
    }
