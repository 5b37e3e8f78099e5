"""``POST builds``, and a whole publish: once per nonce, the same when anything is sent again."""

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.case import Case
from tests.support.ci.publish_client import Job, PngImage, connect, make_image, problem_of, put
from tests.support.depth import rounds
from tests.support.personas import Personas
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import Baseline, Build, BuildShard, Image, Screenshot
from visual_review.repositories.models import Product

PARTIAL = {"partial": True, "storyIds": ["a", "b"]}


def baseline(job: Job, branch: str, versions: int, head_repository: str = "") -> Baseline:
    return Baseline.objects.create(
        product=job.repository.products.get(),
        branch=branch,
        head_repository=head_repository,
        last_version=versions,
    )


def test_the_same_nonce_returns_the_same_build(job: Job) -> None:
    body = job.request_body()
    assert job.create(**body) == job.create(**body)
    assert Build.objects.count() == 1
    assert job.create()["number"] == 2


CHANGED_FACTS: tuple[tuple[dict[str, Any], str], ...] = (
    ({"branch": "other"}, "branch"),
    ({"commit": "dec0ded"}, "commit"),
    ({"shards": 3}, "shards"),
    ({"pullRequest": 9}, "pullRequest"),
    ({"baseBranch": "release"}, "baseBranch"),
    ({"headRepository": "someone/fork"}, "headRepository"),
    ({"partial": True, "storyIds": []}, "partial"),
    ({"matrix": {"themes": ["dark"], "devices": ["desktop"]}}, "matrix"),
    ({"detectionVariants": [{"theme": "dark", "device": "phone"}]}, "detectionVariants"),
)


def test_the_same_nonce_with_other_values_is_rejected_and_names_them(case: Case, job: Job) -> None:
    body = job.request_body()
    job.create(**body)
    for change, word in CHANGED_FACTS:
        with case(word):
            detail = problem_of(job.call("POST", "builds", body | change), 409)["detail"]
            assert word in detail
            assert body["nonce"] in detail


def test_shards_may_differ_in_what_is_no_fact_of_the_build(job: Job) -> None:
    body = job.request_body(shards=2, detectionVariants=[{"theme": "dark", "device": "phone"}])
    first = job.create(**body, message="one", renderer={"browser": "Chromium"})
    second = job.create(**body | {"shard": 2, "detectionVariants": []})
    assert first["id"] == second["id"]
    assert Build.objects.get().shards.count() == 2


def test_the_first_build_of_a_key_makes_the_product(job: Job) -> None:
    job.create(productKey="design-system")
    assert Product.objects.filter(repository=job.repository, key="design-system").count() == 1
    assert Build.objects.get().product.key == "design-system"


def test_our_own_name_is_no_fork(job: Job) -> None:
    job.create(headRepository=job.repository.full_name.upper())
    job.create(headRepository="someone/fork")
    names = Build.objects.order_by("number").values_list("head_repository", flat=True)
    assert list(names) == ["", "someone/fork"]


def test_the_baseline_is_fixed_when_the_build_is_made(job: Job) -> None:
    main = baseline(job, "main", 3)
    baseline(job, "feature/x", 0)
    response = job.create(branch="feature/x")
    assert (response["baselineRule"], response["baselineMove"]) == ("default_branch", 3)
    main.last_version = 4
    main.save()
    assert Build.objects.get().baseline_version == 3


def test_a_pull_request_is_compared_with_the_branch_it_targets(job: Job) -> None:
    baseline(job, "main", 1)
    baseline(job, "release", 2)
    baseline(job, "feature/x", 5)
    response = job.create(branch="feature/x", pullRequest=12, baseBranch="release")
    assert (response["baselineRule"], response["baselineMove"]) == ("target_branch", 2)


def test_the_baseline_version_of_the_plan_counts_even_if_the_baseline_changed_since(
    job: Job,
) -> None:
    row = baseline(job, "main", 3)
    plan = job.plan(branch="main")
    assert plan["baseline"] == {"id": row.id, "branch": "main", "move": 3}
    row.last_version = 5
    row.save()
    named = {"baselineId": plan["baseline"]["id"], "baselineMove": plan["baseline"]["move"]}
    assert job.create(**named)["baselineMove"] == 3
    assert job.create(baselineMove=4)["baselineMove"] == 4
    assert job.create()["baselineMove"] == 5
    assert job.create(baselineMove=0)["baselineMove"] == 5


def test_the_plans_baseline_counts_though_a_nearer_one_came_up(job: Job) -> None:
    main = baseline(job, "main", 7)
    baseline(job, "feature/x", 1)
    response = job.create(branch="feature/x", baselineId=main.id, baselineMove=7)
    assert (response["baselineRule"], response["baselineMove"]) == ("default_branch", 7)


def test_a_baseline_version_that_does_not_exist_is_rejected_with_a_message(job: Job) -> None:
    baseline(job, "main", 3)
    detail = problem_of(job.call("POST", "builds", job.request_body(baselineMove=4)), 409)["detail"]
    assert "Version 4" in detail
    assert Build.objects.count() == 0


def test_a_baseline_of_an_unrelated_branch_is_rejected(job: Job) -> None:
    other = baseline(job, "release", 3)
    response = job.call("POST", "builds", job.request_body(baselineId=other.id, baselineMove=1))
    assert other.id in problem_of(response, 400)["detail"]


def test_a_partial_build_must_be_judged_by_the_plan_of_its_run(job: Job) -> None:
    baseline(job, "main", 3)
    body = job.request_body(**PARTIAL, baselineMove=2)
    job.create(**body)
    detail = problem_of(job.call("POST", "builds", body | {"baselineMove": 3}), 409)["detail"]
    assert "baselineMove" in detail


def test_a_full_builds_shards_may_have_planned_at_different_versions(job: Job) -> None:
    baseline(job, "main", 3)
    body = job.request_body(baselineMove=2)
    job.create(**body)
    assert job.create(**body | {"baselineMove": 3})["baselineMove"] == 2


BAD_FACTS: tuple[tuple[dict[str, Any], str], ...] = (
    ({"branch": "x" * 10_000}, "/branch"),
    ({"branch": "a\nb"}, "/branch"),
    ({"branch": "a\u202eb"}, "/branch"),
    ({"branch": ""}, "/branch"),
    ({"branch": 7}, "/branch"),
    ({"branch": None}, "/branch"),
    ({"baseBranch": "a\x1b[31m", "pullRequest": 1}, "/baseBranch"),
    ({"headRepository": "nobody"}, "/headRepository"),
    ({"productKey": "Design System"}, "/productKey"),
    ({"productKey": "a" * 65}, "/productKey"),
    ({"commit": ""}, "/commit"),
    ({"commit": "a" * 65}, "/commit"),
    ({"commit": "<script>"}, "/commit"),
    ({"nonce": ""}, "/nonce"),
    ({"nonce": "n" * 201}, "/nonce"),
    ({"nonce": "a\tb"}, "/nonce"),
    ({"shard": 0}, "/shard"),
    ({"shard": 2, "shards": 1}, ""),
    ({"shards": 2**40}, "/shards"),
    ({"shards": True}, "/shards"),
    ({"shards": "1"}, "/shards"),
    ({"pullRequest": 2**31}, "/pullRequest"),
    ({"pullRequest": -1}, "/pullRequest"),
    ({"baselineMove": 2**31}, "/baselineMove"),
    ({"baselineMove": 1.5}, "/baselineMove"),
    ({"matrix": {"themes": [], "devices": ["phone"]}}, "/matrix/themes"),
    ({"matrix": {"themes": ["light"], "devices": ["watch"]}}, "/matrix/devices/0"),
    ({"matrix": {"themes": ["light"]}}, "/matrix/devices"),
    ({"detectionVariants": [{"theme": "light", "device": "desktop"}]}, ""),
    ({"partial": True}, ""),
    ({"partial": True, "storyIds": ["a", "a"]}, ""),
    ({"partial": True, "storyIds": ["a\x00"]}, "/storyIds/0"),
    ({"partial": True, "storyIds": ["s" * 301]}, "/storyIds/0"),
    ({"partial": True, "storyIds": [str(n) for n in range(50_001)]}, "/storyIds"),
    ({"renderer": {"browser": "Chromium", "vendor": "?"}}, "/renderer/vendor"),
    ({"message": "half \ud800"}, "/message"),
    ({"unknown": 1}, "/unknown"),
)


def test_invalid_values_are_rejected_with_their_position_and_create_nothing(
    case: Case, job: Job
) -> None:
    for change, pointer in BAD_FACTS:
        with case(f"{pointer} {change!r:.80}"):
            problem = problem_of(job.call("POST", "builds", job.request_body(**change)), 400)
            assert [each["pointer"] for each in problem["errors"]][:1] == [pointer]
            assert len(problem["detail"]) < 1000
            assert Build.objects.count() == 0


def test_every_problem_of_a_build_is_reported_at_once(job: Job) -> None:
    body = job.request_body(branch="a b", productKey="A", headRepository="x", unknown=1, shard=0)
    problem = problem_of(job.call("POST", "builds", body), 400)
    assert {each["pointer"] for each in problem["errors"]} == {
        *("/branch", "/productKey", "/headRepository", "/unknown", "/shard")
    }
    assert problem["detail"].endswith("; and 2 more")


def test_what_is_required_is_asked_for(case: Case, job: Job) -> None:
    for name in ("nonce", "branch", "commit", "matrix"):
        with case(name):
            body = job.request_body()
            del body[name]
            problem = problem_of(job.call("POST", "builds", body), 400)
            assert problem["errors"][0]["pointer"] == f"/{name}"


def test_what_a_script_does_not_know_may_be_empty(job: Job) -> None:
    job.create(baseCommit="", mergeCommit="", mergeBaseCommit="", headRepository="", baseBranch="")
    assert job.plan(branch="main", headRepository="", baseBranch="")["baselineRule"] == "none"


def test_a_long_commit_message_is_kept_to_its_beginning(job: Job) -> None:
    job.create(message="word\n" * 10_000)
    assert len(Build.objects.get().message) == 10_000


def test_a_body_above_the_limit_is_rejected_unread(job: Job) -> None:
    body = b'{"nonce": "' + b"x" * (8 * 1024 * 1024) + b'"}'
    problem_of(job.call("POST", "builds", body), 413)


NO_OBJECTS = (b"", b"[]", b"{", b'{"nonce": NaN}', b"[" * 100_000)


def test_a_body_that_is_not_a_json_object_is_rejected(case: Case, job: Job) -> None:
    for body in NO_OBJECTS:
        with case(f"{body!r:.40}"):
            problem_of(job.call("POST", "builds", body), 400)


def test_the_first_plan_captures_everything_and_compares_with_nothing(job: Job) -> None:
    plan = job.plan(branch="main")
    assert plan["themes"] == ["light", "dark"]
    assert plan["devices"] == ["phone", "tablet", "desktop"]
    assert plan["matrixSource"] == "all"
    assert plan["detectionArmed"] is True
    assert plan["viewports"]["desktop"] == {"width": 1440, "height": 900}
    assert (plan["baselineRule"], plan["baseline"], plan["stories"]) == ("none", None, {})


def test_a_build_is_published_once_all_its_images_arrived(job: Job) -> None:
    red, blue = make_image("red"), make_image("blue")
    build = job.create(branch="feature/x", commit="abc1234")
    assert (build["number"], build["status"], build["baselineRule"]) == (1, "uploading", "none")
    response = job.announce(build, red.shot("button--red"), blue.shot("button--blue"))
    assert response["accepted"] == 2
    assert {upload["sha256"] for upload in response["uploads"]} == {red.sha256, blue.sha256}
    for upload in response["uploads"]:
        data = red.data if upload["sha256"] == red.sha256 else blue.data
        assert put(upload["url"], data).status_code == 201
    finished = job.finish(build)
    assert finished["status"] == "processing"
    assert finished["counts"]["pending"] == 2
    assert finished["shards"] == {"total": 1, "finished": 1}
    assert ProcrastinateJob.objects.filter(task_name="process_build").count() == 1
    assert Screenshot.objects.filter(build_id=build["id"], image=None).count() == 0
    entry = AuditEntry.objects.get(verb="build.published")
    assert (entry.actor_kind, entry.channel, entry.target_id) == (
        "project_token",
        "ci",
        build["id"],
    )


def test_what_the_organization_has_already_is_not_asked_for_again(job: Job) -> None:
    red = make_image("red")
    job.publish({"button--red": red})
    build = job.create()
    assert job.announce(build, red.shot("button--red"))["uploads"] == []
    assert job.finish(build)["status"] == "processing"
    assert Image.objects.count() == 1


def test_finishing_before_the_images_arrived_names_the_missing_ones(job: Job) -> None:
    red = make_image("red")
    build = job.create()
    job.announce(build, red.shot("button--red"))
    document = problem_of(job.call("POST", f"builds/{build['id']}/finish", {"shard": 1}), 409)
    assert document["missing"] == [red.sha256]
    assert Build.objects.get().status == "uploading"


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
