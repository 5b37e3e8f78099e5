"""Many CI jobs at once, on a real PostgreSQL with a connection each: nothing lost or doubled."""

from collections.abc import Iterator
from functools import partial

import pytest
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.ci.publish_client import Job, PngImage, connect, make_image, put
from tests.support.database import current_personas
from tests.support.depth import rounds
from tests.support.personas import Personas
from tests.support.threads import Racers, racers
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import Build, BuildShard, Image, Screenshot
from visual_review.repositories.models import Product
from visual_review.repositories.quotas import set_limits

JOBS = rounds(12, 50)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.search]


@pytest.fixture
def job(personas: Personas) -> Job:
    return connect(personas.alice)


@pytest.fixture
def many_threads() -> Iterator[Racers]:
    with racers(JOBS) as pool:
        yield pool


def test_many_jobs_that_publish_at_once_lose_nothing(job: Job, many_threads: Racers) -> None:
    shared = [make_image("red"), make_image("green")]
    own = [make_image("blue", width=10 + index) for index in range(JOBS)]

    def publish(index: int) -> str:
        images = {"a--red": shared[0], "b--green": shared[1], "c--own": own[index]}
        build = job.publish(images, nonce=f"run-of-{index}", productKey="shop")
        return str(build["id"])

    ids = many_threads.race(*[partial(publish, index) for index in range(JOBS)])
    assert len(set(ids)) == JOBS
    builds = Build.objects.filter(pk__in=ids)
    assert {build.status for build in builds} == {"processing"}
    assert sorted(build.number for build in builds) == list(range(1, JOBS + 1))
    # Each but the last has a newer one of the same branch, in whatever order they finished.
    assert list(builds.filter(superseded_by=None).values_list("number", flat=True)) == [JOBS]
    assert Product.objects.filter(key="shop").count() == 1
    assert Screenshot.objects.filter(image__isnull=False).count() == 3 * JOBS
    assert Image.objects.count() == 2 + JOBS
    assert [jobs_of(build) for build in builds] == [1] * JOBS


def test_many_shards_of_one_run_make_one_build(job: Job, many_threads: Racers) -> None:
    images = [make_image("blue", width=10 + index) for index in range(JOBS)]

    def publish(index: int) -> str:
        build = job.create(nonce="one-run", shard=index + 1, shards=JOBS)
        shot = images[index].shot(f"story--{index}")
        for upload in job.announce(build, shot, shard=index + 1)["uploads"]:
            assert put(upload["url"], images[index].data).status_code == 201
        job.finish(build, shard=index + 1)
        return str(build["id"])

    ids = many_threads.race(*[partial(publish, index) for index in range(JOBS)])
    build = Build.objects.get()
    assert set(ids) == {build.id}
    assert build.status == "processing"
    assert build.screenshots.filter(image__isnull=False).count() == JOBS
    assert BuildShard.objects.filter(finished_at__isnull=False).count() == JOBS
    assert_published_once(build)


def test_the_same_call_made_by_many_at_once_makes_one_build(job: Job, many_threads: Racers) -> None:
    create = partial(job.call, "POST", "builds", job.request_body())
    responses = many_threads.race(*[create] * JOBS)
    assert len({response.content for response in responses}) == 1
    assert Build.objects.get().number == 1


def test_finish_against_finish_publishes_exactly_once(job: Job, four_threads: Racers) -> None:
    red = make_image("red")
    for _ in range(rounds(3, 10)):
        build = job.create(shards=2)
        for shard in (1, 2):
            for upload in job.announce(build, red.shot(f"red--{shard}"), shard=shard)["uploads"]:
                put(upload["url"], red.data)
        # Each shard's finish is sent twice, as after a lost response.
        four_threads.race(*[partial(job.finish, build, shard=shard) for shard in (1, 2, 1, 2)])
        assert_published_once(Build.objects.get(pk=build["id"]))


def test_the_same_manifest_and_images_sent_at_once_are_taken_once(
    job: Job, many_threads: Racers
) -> None:
    build = job.create()
    images: list[PngImage] = [make_image("red", width=5 + index) for index in range(rounds(8, 20))]
    shots = [each.shot(f"story--{index}") for index, each in enumerate(images)]
    data = {each.sha256: each.data for each in images}

    def send() -> set[int]:
        uploads = job.announce(build, *shots)["uploads"]
        return {put(each["url"], data[each["sha256"]]).status_code for each in uploads}

    assert set().union(*many_threads.race(*[send] * 8)) == {201}
    assert Screenshot.objects.count() == Image.objects.count() == len(images)
    assert job.finish(build)["status"] == "processing"


def jobs_of(build: Build) -> int:
    jobs = ProcrastinateJob.objects.filter(task_name="process_build")
    return jobs.filter(args__build_id=build.id).count()


def assert_published_once(build: Build) -> None:
    assert build.status == "processing"
    assert jobs_of(build) == 1
    assert AuditEntry.objects.filter(verb="build.published", target_id=build.id).count() == 1


def test_builds_beyond_a_quota_are_rejected_however_many_come_at_once(
    job: Job, many_threads: Racers
) -> None:
    set_limits(job.repository.organization_id, {"builds_limit": 5})
    # Of another repository, too: the quota is the organization's.
    jobs = [job, connect(current_personas().alice, "acme/docs")]

    def create(index: int) -> int:
        body = job.request_body(nonce=f"run-of-{index}")
        return jobs[index % 2].call("POST", "builds", body).status_code

    codes = many_threads.race(*[partial(create, index) for index in range(JOBS)])
    assert sorted(codes) == [200] * 5 + [429] * (JOBS - 5)
    assert Build.objects.count() == 5
