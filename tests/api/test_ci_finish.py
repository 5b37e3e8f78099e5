"""``POST builds/{id}/finish`` and ``GET builds/{id}``: shards, superseding, expiry, progress."""

from datetime import timedelta

from django.conf import settings
from procrastinate.contrib.django.models import ProcrastinateJob

from tests.support.case import Case
from tests.support.ci.publish_client import Job, make_image, problem_of, put
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import Build, Screenshot
from visual_review.builds.publishing.uploads import (
    IncomingImage,
    expire_builds,
    missing_hashes,
    sweep_incoming,
    unlinked_shots,
)
from visual_review.jobs.builds.expire_builds import expire_stale_builds
from visual_review.kernel.blobs import BlobStore, MemoryStore, blob_store
from visual_review.kernel.clock import now

RED = make_image("red")
BLUE = make_image("blue")


def leave(build_id: str, seconds: float) -> None:
    """As if CI had said nothing for so long."""
    Build.objects.filter(pk=build_id).update(last_upload_at=now() - timedelta(seconds=seconds))


def test_the_last_shard_publishes_the_build(job: Job) -> None:
    build = job.create(shards=3)
    assert job.finish(build, shard=3)["status"] == "uploading"
    assert job.finish(build, shard=3)["shards"] == {"total": 3, "finished": 1}
    assert job.finish(build, shard=1)["status"] == "uploading"
    assert job.finish(build, shard=2)["status"] == "processing"


def test_a_shard_waits_for_its_own_images_alone(job: Job) -> None:
    build = job.create(shards=2)
    job.announce(build, RED.shot("a"), shard=1)
    assert job.finish(build, shard=2)["shards"]["finished"] == 1
    problem_of(job.call("POST", f"builds/{build['id']}/finish", {"shard": 1}), 409)


def test_finishing_again_returns_the_same_and_does_nothing(job: Job) -> None:
    build = job.publish({"a": RED})
    published = Build.objects.get().published_at
    assert job.finish(build) == job.finish(build) == job.show(build)
    assert Build.objects.get().published_at == published
    queued = ProcrastinateJob.objects.filter(task_name="process_build")
    assert queued.filter(args__build_id=build["id"]).count() == 1
    assert queued.get(args__build_id=build["id"]).lock == build["id"]
    Build.objects.update(status="failed", failure="no luck")
    assert job.finish(build)["failure"] == "no luck"


def test_an_image_that_another_build_brought_meanwhile_is_not_missing(job: Job) -> None:
    build = job.create()
    job.announce(build, RED.shot("a"))
    job.publish({"b": RED}, branch="other")
    assert job.finish(build)["status"] == "processing"
    assert Screenshot.objects.get(build_id=build["id"]).image is not None


def test_images_sent_to_a_far_storage_are_looked_for_there(job: Job) -> None:
    build = Build.objects.get(pk=job.create()["id"])
    job.announce({"id": build.id}, RED.shot("a"), BLUE.shot("b"))
    organization = job.repository.organization_id
    far = BlobStore(MemoryStore())
    assert missing_hashes(build, job.repository, 1, far) == sorted([RED.sha256, BLUE.sha256])
    far.put(IncomingImage(organization, build.id, RED.sha256).key, RED.data)
    assert missing_hashes(build, job.repository, 1, far) == [BLUE.sha256]
    far.put(IncomingImage(organization, "build_other", BLUE.sha256).key, BLUE.data)
    assert missing_hashes(build, job.repository, 1, far) == [BLUE.sha256]


def test_a_published_build_supersedes_older_undecided_ones_of_its_branch(job: Job) -> None:
    def make(status: str = "completed", review: str = "unreviewed", **facts: object) -> Build:
        row = Build.objects.get(pk=job.create(**{"branch": "feature/x", **facts})["id"])
        row.status, row.review_state = status, review
        row.save()
        return row

    undecided = [make(), make("processing"), make("uploading")]
    left = [
        make(review="approved"),
        make(review="not_required"),
        make("failed"),
        make("expired"),
        make(branch="main"),
        make(headRepository="someone/fork"),
        make(productKey="other"),
    ]
    newest = job.create(branch="feature/x")
    later = job.create(branch="feature/x")
    job.finish(newest)
    superseded = Build.objects.filter(superseded_by=newest["id"])
    assert set(superseded) == set(undecided)
    assert not Build.objects.filter(pk__in=[row.pk for row in left]).exclude(superseded_by=None)
    job.finish(later)
    assert set(Build.objects.filter(superseded_by=later["id"])) == {
        Build.objects.get(pk=newest["id"])
    }


def test_progress_counts_and_shows_what_needs_a_look(job: Job) -> None:
    build = job.create(detectionVariants=[{"theme": "dark", "device": "phone"}])
    states = ["unchanged", "failed", "removed", "new", "changed"]
    job.announce(build, *(RED.shot(f"story-{state}") for state in states))
    job.announce(build, RED.shot("story-new", "dark", "phone"))
    for state in states:
        Screenshot.objects.filter(story_id=f"story-{state}", theme="light").update(
            diff_state=state, diff_ratio=0.25, message="words"
        )
    response = job.show(build)
    assert response["counts"] == {
        "changed": 1,
        "new": 1,
        "removed": 1,
        "failed": 1,
        "unchanged": 1,
        "inherited": 0,
        "pending": 0,
    }
    assert response["diffCount"] == 3
    assert [each["diffState"] for each in response["toReview"]] == [
        "changed",
        "new",
        "removed",
        "failed",
    ]
    assert response["toReview"][0] == {
        "storyId": "story-changed",
        "title": "Story-Changed",
        "theme": "light",
        "device": "desktop",
        "diffState": "changed",
        "diffRatio": 0.25,
        "summary": "",
        "groupId": None,
        "reviewDecision": None,
        "message": "words",
    }
    assert (response["groupCount"], response["groups"]) == (0, [])
    assert response["url"].endswith(f"/builds/{build['id']}")
    assert (response["status"], response["decisionSource"]) == ("uploading", None)


def test_no_more_than_two_hundred_screenshots_are_shown(job: Job) -> None:
    build = job.create()
    job.announce(build, *(RED.shot(f"story-{index}") for index in range(201)))
    Screenshot.objects.update(diff_state="changed")
    response = job.show(build)
    assert (len(response["toReview"]), response["diffCount"]) == (200, 201)


def test_a_build_left_alone_expires_and_says_so(job: Job) -> None:
    build = job.create()
    leave(build["id"], settings.UPLOAD_EXPIRY_SECONDS - 60)
    assert expire_builds() == 0
    leave(build["id"], settings.UPLOAD_EXPIRY_SECONDS + 60)
    assert expire_builds() == 1
    response = job.show(build)
    assert (response["status"], bool(response["failure"])) == ("expired", True)
    for path, body in (("screenshots", {"screenshots": []}), ("finish", {})):
        detail = problem_of(job.call("POST", f"builds/{build['id']}/{path}", body), 409)["detail"]
        assert "expired" in detail
    entry = AuditEntry.objects.get(verb="build.expired")
    assert (entry.actor_kind, entry.target_id) == ("system", build["id"])
    assert expire_builds() == 0


def test_publishing_an_expired_run_again_needs_a_new_nonce(job: Job) -> None:
    build = job.create(nonce="run")
    Build.objects.update(status="expired")
    assert job.create(nonce="run")["status"] == "expired"
    assert job.create(nonce="run-again")["number"] == build["number"] + 1


def test_published_builds_never_expire(job: Job) -> None:
    job.publish({"a": RED})
    leave(Build.objects.get().id, 10 * settings.UPLOAD_EXPIRY_SECONDS)
    assert expire_builds() == 0


SIGNS = ("create", "announce", "put", "finish", "missing")


def test_every_sign_of_life_keeps_a_build_from_expiring(case: Case, job: Job) -> None:
    for sign in SIGNS:
        with case(sign):
            body = job.request_body(shards=2)
            build = job.create(**body)
            url = job.announce(build, RED.shot("a"))["uploads"][0]["url"]
            leave(build["id"], settings.UPLOAD_EXPIRY_SECONDS + 60)
            if sign == "create":
                job.create(**body)
            elif sign == "announce":
                job.announce(build, RED.shot("a"))
            elif sign == "put":
                put(url, RED.data)
            elif sign == "finish":
                job.finish(build, shard=2)
            else:
                problem_of(job.call("POST", f"builds/{build['id']}/finish", {"shard": 1}), 409)
            assert expire_builds() == 0


def test_unexpected_bytes_are_deleted_and_others_kept(job: Job) -> None:
    organization = job.repository.organization_id
    builds = {status: job.create()["id"] for status in ("uploading", "processing")}
    stale = {status: job.create()["id"] for status in ("completed", "expired", "failed")}
    for status, build_id in (builds | stale).items():
        Build.objects.filter(pk=build_id).update(status=status)
    stale["unknown"] = "build_" + "0" * 26
    blobs = blob_store()
    for build_id in (builds | stale).values():
        blobs.put(IncomingImage(organization, build_id, RED.sha256).key, RED.data)
    blobs.put("incoming/something/else", b"not ours to judge")
    blobs.put("images/x/y.png", RED.data)
    assert sweep_incoming(blobs) == len(stale)
    kept = {IncomingImage(organization, build_id, RED.sha256).key for build_id in builds.values()}
    assert set(blobs.keys()) == kept | {"incoming/something/else", "images/x/y.png"}


def test_the_periodic_job_expires_and_sweeps(job: Job) -> None:
    build = job.create()
    job.announce(build, RED.shot("a"))
    place = IncomingImage(job.repository.organization_id, build["id"], RED.sha256)
    blob_store().put(place.key, RED.data)
    leave(build["id"], settings.UPLOAD_EXPIRY_SECONDS + 60)
    expire_stale_builds(timestamp=0)
    assert job.show(build)["status"] == "expired"
    assert list(blob_store().keys()) == []
    assert unlinked_shots(Build.objects.get()).count() == 1
