"""``POST builds/{id}/screenshots``: chunks, repeats, conflicts, scope and bad input."""

from typing import Any

from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.ci.publish_client import Job, make_image, problem_of, put
from visual_review.builds.models import Screenshot

RED = make_image("red")
BLUE = make_image("blue")
ERROR = {
    "storyId": "broken",
    "title": "Broken",
    "theme": "light",
    "device": "desktop",
    "error": "TypeError: x is undefined",
}


def refuse(job: Job, build: dict[str, Any], *shots: Any, status: int = 400) -> dict[str, Any]:  # noqa: ANN401 - Any JSON.
    before = Screenshot.objects.count()
    body = {"shard": 1, "screenshots": list(shots)}
    problem = problem_of(job.call("POST", f"builds/{build['id']}/screenshots", body), status)
    assert Screenshot.objects.count() == before, "a refused chunk leaves nothing behind"
    return problem


def test_the_same_chunk_again_changes_nothing_and_returns_new_urls(job: Job) -> None:
    build = job.create()
    first = job.announce(build, RED.shot("a"), BLUE.shot("b"), ERROR)
    again = job.announce(build, ERROR, BLUE.shot("b"), RED.shot("a"), RED.shot("a"))
    assert (first["accepted"], again["accepted"]) == (3, 4)
    assert {each["sha256"] for each in first["uploads"]} == {RED.sha256, BLUE.sha256}
    assert {each["sha256"] for each in again["uploads"]} == {RED.sha256, BLUE.sha256}
    assert Screenshot.objects.count() == 3


def test_the_reason_why_an_image_is_unstable_is_stored_and_may_change(job: Job) -> None:
    build = job.create()
    first = job.announce(build, RED.shot("a") | {"unstable": "x" * 20_000}, RED.shot("b"))
    assert put(first["uploads"][0]["url"], RED.data).status_code == 201
    job.announce(build, RED.shot("a"), RED.shot("b") | {"unstable": "A canvas kept changing."})
    stored = Screenshot.objects.values_list("story_id", "unstable")
    assert dict(stored) == {"a": "", "b": "A canvas kept changing."}
    assert job.finish(build)["status"] == "processing"
    job.announce(build, RED.shot("a") | {"unstable": "Too late."})
    assert dict(stored.all()) == {"a": "", "b": "A canvas kept changing."}


def test_notes_of_the_capture_are_stored_and_bounded(job: Job) -> None:
    build = job.create()
    note = {"kind": "failed-requests", "text": "x" * 5000}
    job.announce(build, RED.shot("a") | {"notes": [note]}, ERROR | {"storyId": "c"})
    job.announce(build, RED.shot("b") | {"notes": [note] * 20})
    stored = dict(Screenshot.objects.values_list("story_id", "notes"))
    assert stored["a"] == [{"kind": "failed-requests", "text": "x" * 1000}]
    assert (len(stored["b"]), stored["c"]) == (20, [])
    later = {"kind": "same-themes", "text": "Both themes look the same."}
    job.announce(build, RED.shot("a") | {"notes": [note, later]})
    assert [each["kind"] for each in Screenshot.objects.get(story_id="a").notes] == [
        "failed-requests",
        "same-themes",
    ]
    for wrong in ([note] * 21, [{"kind": "<b>", "text": "x"}], [{"kind": "a", "text": ""}], [{}]):
        refuse(job, build, RED.shot("d") | {"notes": wrong}, status=400)


def test_one_image_of_many_stories_is_asked_for_once(job: Job) -> None:
    build = job.create()
    response = job.announce(build, *(RED.shot(f"story-{index}") for index in range(5)))
    assert [each["sha256"] for each in response["uploads"]] == [RED.sha256]


OTHER_CONTENTS = (BLUE.shot("a"), RED.shot("a") | {"title": "Else"}, ERROR | {"storyId": "a"})


def test_a_repeated_shard_replaces_what_it_announced(case: Case, job: Job) -> None:
    for other in OTHER_CONTENTS:
        with case(f"{other!r:.80}"):
            build = job.create()
            job.announce(build, RED.shot("a") | {"unstable": "It moved."}, RED.shot("b"))
            uploads = job.announce(build, other, RED.shot("b"))["uploads"]
            row = Screenshot.objects.get(build=build["id"], story_id="a")
            expected = [other.get("sha256") or "", other["title"], other.get("error") or "", ""]
            assert [row.sha256, row.title, row.message, row.unstable] == expected
            assert {each["sha256"] for each in uploads} == {expected[0] or RED.sha256, RED.sha256}


def test_a_replaced_image_is_the_one_of_the_finished_build(job: Job) -> None:
    build = job.create()
    for image in (RED, BLUE):
        for upload in job.announce(build, image.shot("a"))["uploads"]:
            assert put(upload["url"], image.data).status_code == 201
    assert job.finish(build)["status"] == "processing"
    row = Screenshot.objects.select_related("image").get()
    assert row.image is not None
    assert (row.sha256, row.image.sha256) == (BLUE.sha256, BLUE.sha256)


def test_a_replaced_image_that_never_arrived_is_not_waited_for(job: Job) -> None:
    build = job.create()
    job.announce(build, RED.shot("a"))
    uploads = job.announce(build, BLUE.shot("a"))["uploads"]
    assert put(uploads[0]["url"], BLUE.data).status_code == 201
    assert job.finish(build)["status"] == "processing"


def test_a_finished_shard_keeps_what_it_announced(job: Job) -> None:
    build = job.create(shards=2)
    job.announce(build, ERROR)
    job.finish(build)
    problem = refuse(job, build, RED.shot(ERROR["storyId"]), status=409)
    assert "finished" in problem["detail"]


def test_a_chunk_that_contradicts_itself_is_rejected_and_named(job: Job) -> None:
    build = job.create()
    detail = refuse(job, build, RED.shot("a"), BLUE.shot("a"), status=409)["detail"]
    assert "'a' in light desktop" in detail


def test_two_shards_must_not_capture_the_same_story_differently(job: Job) -> None:
    build = job.create(shards=2)
    job.announce(build, RED.shot("a"), shard=2)
    assert "shard 2" in refuse(job, build, BLUE.shot("a"), status=409)["detail"]


def test_a_variant_the_build_did_not_name_is_rejected(job: Job) -> None:
    build = job.create(detectionVariants=[{"theme": "dark", "device": "phone"}])
    problem = refuse(job, build, RED.shot("a"), RED.shot("a", "light", "tablet"))
    assert problem["errors"][0]["pointer"] == "/screenshots/1"
    assert "light tablet" in problem["detail"]


def test_variants_taken_for_detection_are_marked_and_not_counted(job: Job) -> None:
    build = job.create(detectionVariants=[{"theme": "dark", "device": "phone"}])
    job.announce(build, RED.shot("a"), BLUE.shot("a", "dark", "phone"))
    marked = Screenshot.objects.filter(detection_only=True)
    assert [(row.theme, row.device) for row in marked] == [("dark", "phone")]
    assert job.show(build)["counts"]["pending"] == 1


def test_a_partial_build_takes_only_the_stories_it_named(job: Job) -> None:
    build = job.create(partial=True, storyIds=["a", "b"])
    assert "'c'" in refuse(job, build, RED.shot("a"), RED.shot("c"))["detail"]
    assert job.announce(build, RED.shot("a"))["accepted"] == 1


def test_a_partial_build_of_nothing_can_be_finished(job: Job) -> None:
    build = job.create(partial=True, storyIds=["a", "b"])
    assert job.announce(build) == {"accepted": 0, "uploads": []}
    assert job.finish(build)["status"] == "processing"


def test_an_announced_error_needs_no_image(job: Job) -> None:
    build = job.create()
    assert job.announce(build, ERROR)["uploads"] == []
    row = Screenshot.objects.get()
    assert (row.message, row.image, row.diff_state) == (ERROR["error"], None, "pending")
    assert job.finish(build)["status"] == "processing"


def test_a_known_image_announced_in_another_size_is_rejected(job: Job) -> None:
    job.publish({"a": RED})
    build = job.create()
    detail = refuse(job, build, RED.shot("a") | {"width": 99})["detail"]
    assert "99 x 6" in detail
    assert "8 x 6" in detail


def test_one_hash_in_two_sizes_is_rejected_within_and_across_chunks(job: Job) -> None:
    build = job.create()
    refuse(job, build, RED.shot("a"), RED.shot("b") | {"height": 7})
    job.announce(build, RED.shot("a"))
    refuse(job, build, RED.shot("b") | {"height": 7})


def test_a_finished_shard_takes_repeats_but_nothing_new(job: Job) -> None:
    build = job.create(shards=2)
    job.announce(build, ERROR)
    job.finish(build)
    assert job.announce(build, ERROR)["accepted"] == 1
    assert "finished" in refuse(job, build, RED.shot("a"), status=409)["detail"]
    assert job.announce(build, RED.shot("a"), shard=2)["accepted"] == 1


def test_a_published_build_takes_repeats_but_nothing_new(job: Job) -> None:
    build = job.publish({"a": RED})
    assert job.announce(build, RED.shot("a")) == {"accepted": 1, "uploads": []}
    refuse(job, build, BLUE.shot("b"), status=409)


def test_a_shard_beyond_the_total_is_rejected(job: Job) -> None:
    build = job.create(shards=2)
    for path in ("screenshots", "finish"):
        body = {"shard": 3} | ({"screenshots": []} if path == "screenshots" else {})
        problem = problem_of(job.call("POST", f"builds/{build['id']}/{path}", body), 400)
        assert problem["errors"][0]["pointer"] == "/shard"


BAD_SHOTS: tuple[tuple[object, str], ...] = (
    (RED.shot("a") | {"storyId": ""}, "/storyId"),
    (RED.shot("a") | {"storyId": "a\nb"}, "/storyId"),
    (RED.shot("a") | {"storyId": "s" * 301}, "/storyId"),
    (RED.shot("a") | {"title": "t" * 501}, "/title"),
    (RED.shot("a") | {"title": "nul \x00"}, "/title"),
    (RED.shot("a") | {"theme": "sepia"}, "/theme"),
    (RED.shot("a") | {"device": "watch"}, "/device"),
    (RED.shot("a") | {"sha256": RED.sha256.upper()}, "/sha256"),
    (RED.shot("a") | {"sha256": "../../etc/passwd"}, "/sha256"),
    (RED.shot("a") | {"width": 0}, "/width"),
    (RED.shot("a") | {"height": 65_536}, "/height"),
    (RED.shot("a") | {"height": 2**31}, "/height"),
    (RED.shot("a") | {"width": 32_768, "height": 32_768}, ""),
    (RED.shot("a") | {"width": "8"}, "/width"),
    (RED.shot("a") | {"threshold": 1.01}, "/threshold"),
    (RED.shot("a") | {"threshold": "0.1"}, "/threshold"),
    (RED.shot("a") | {"sourceHash": "h" * 65}, "/sourceHash"),
    (RED.shot("a") | {"error": "both"}, ""),
    (ERROR | {"error": ""}, "/error"),
    ({"storyId": "a", "theme": "light", "device": "desktop"}, ""),
    (RED.shot("a") | {"unknown": 1}, "/unknown"),
    (RED.shot("a") | {"sha256": None}, "/sha256"),
    ("a", ""),
)


def test_bad_screenshots_are_rejected_at_their_place(case: Case, job: Job) -> None:
    for shot, pointer in BAD_SHOTS:
        with case(f"{pointer} {shot!r:.80}"):
            problem = refuse(job, job.create(), BLUE.shot("good"), shot)
            assert problem["errors"][0]["pointer"] == f"/screenshots/1{pointer}"


def test_a_chunk_of_more_than_five_hundred_is_rejected(job: Job) -> None:
    shots = [RED.shot(f"story-{index}") for index in range(501)]
    assert refuse(job, job.create(), *shots)["errors"][0]["pointer"] == "/screenshots"


def test_an_integer_may_be_written_as_a_fraction(job: Job) -> None:
    assert job.announce(job.create(), RED.shot("a") | {"width": 8.0})["accepted"] == 1


def test_a_long_error_is_kept_to_its_beginning_and_may_be_repeated(job: Job) -> None:
    build = job.create()
    shot = ERROR | {"error": "at line 1\n" * 5000}
    assert job.announce(build, shot) == job.announce(build, shot)
    assert len(Screenshot.objects.get().message) == 10_000


def test_an_image_beyond_a_limit_of_the_service_is_refused_before_its_upload(
    case: Case, job: Job, settings: Settings
) -> None:
    build = job.create()
    limits = (("IMAGE_MAX_SIDE", 7, "at most 7 pixels a side are accepted"),)
    for name, limit, expected in (*limits, ("IMAGE_MAX_PIXELS", 47, "8 x 6; at most 47 pixels")):
        with case(name):
            usual = getattr(settings, name)
            setattr(settings, name, limit)
            assert expected in str(refuse(job, build, RED.shot("a")))
            assert job.plan(branch="main")["imageLimits"] == {
                "side": settings.IMAGE_MAX_SIDE,
                "pixels": settings.IMAGE_MAX_PIXELS,
            }
            setattr(settings, name, usual)
    job.announce(build, RED.shot("a"))
