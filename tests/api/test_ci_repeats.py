"""Whatever is sent again, in whatever order, the build comes out as if sent once."""

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.ci.publish_client import Job, PngImage, connect, make_image, put
from tests.support.depth import rounds
from tests.support.personas import Personas
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import Build, BuildShard, Image, Screenshot

REPOSITORIES = count(1)
IMAGES = [make_image(color) for color in ("red", "green", "blue")]
Step = Callable[[], object]


class Run:
    """Two shards of three images each, one of them common to both, and a broken story."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.body = job.request_body(nonce="run", shards=2)
        self.build: dict[str, Any] = {}

    def steps(self, shard: int) -> list[Step]:
        own = [*IMAGES[:1], make_image("black", width=20 + shard), IMAGES[shard]]
        return [
            partial(self._create, shard),
            partial(self._announce, shard, own),
            *(partial(self._put, shard, own, each) for each in own),
            partial(self._finish, shard),
        ]

    def _create(self, shard: int) -> None:
        created = self.job.create(**self.body | {"shard": shard})
        self.build = self.build or created
        assert created["id"] == self.build["id"]

    def _finish(self, shard: int) -> None:
        self.job.finish(self.build, shard=shard)

    def _announce(self, shard: int, own: list[PngImage]) -> dict[str, str]:
        shots = [each.shot(f"shard-{shard}--{index}") for index, each in enumerate(own)]
        broken = {"storyId": f"broken-{shard}", "theme": "light", "device": "desktop"}
        response = self.job.announce(self.build, *shots, broken | {"error": "no"}, shard=shard)
        return {each["sha256"]: each["url"] for each in response["uploads"]}

    def _put(self, shard: int, own: list[PngImage], each: PngImage) -> None:
        url = self._announce(shard, own).get(each.sha256)
        if url is not None:
            assert put(url, each.data).status_code == 201


@pytest.mark.search
@pytest.mark.django_db
@settings(
    max_examples=rounds(5, 25),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    turns=st.permutations([1] * 6 + [2] * 6),
    replays=st.lists(st.integers(0, 50), min_size=12, max_size=12),
)
def test_repeated_calls_change_nothing(
    personas: Personas, turns: list[int], replays: list[int]
) -> None:
    job = connect(personas.alice, f"acme/web-{next(REPOSITORIES)}")
    run = Run(job)
    waiting = {shard: run.steps(shard) for shard in (1, 2)}
    done: list[Step] = []
    for shard, replay in zip(turns, replays, strict=True):
        step = waiting[shard].pop(0)
        step()
        done.append(step)
        # The response was lost, and the job starts again somewhere before.
        for repeated in done[replay % len(done) :][:3]:
            repeated()
    build = Build.objects.get(repository=job.repository)
    shots = Screenshot.objects.filter(build=build)
    assert (build.number, build.status) == (1, "processing")
    assert shots.count() == 8
    assert shots.filter(image__isnull=False).count() == 6
    assert BuildShard.objects.filter(build=build, finished_at__isnull=False).count() == 2
    assert AuditEntry.objects.filter(verb="build.published", target_id=build.id).count() == 1
    assert Image.objects.values("sha256").distinct().count() == Image.objects.count()
