"""A job publishes: plan, create, announce, upload, finish, look."""

from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.ci.client import Job, make_image, problem_of, put
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import Build, Image, Screenshot


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
