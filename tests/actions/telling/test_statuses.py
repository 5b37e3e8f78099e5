"""Commit statuses follow every change of a build, one a product and one over all of them."""

from tests.actions.telling.hosted import COMMIT, NAME, Hosted
from tests.worlds import DESKTOP
from visual_review.audit.log import SYSTEM
from visual_review.builds.completing import fail
from visual_review.builds.expiry import expire_builds
from visual_review.builds.finishing import finish_shard
from visual_review.builds.host_models import HostMessage
from visual_review.builds.models import Build
from visual_review.kernel.clock import now

DEFAULT = "visual-review/default"
BOTH = (DEFAULT, "visual-review")
OTHER = "b" * 40


def both(state: str) -> dict[str, str]:
    return dict.fromkeys(BOTH, state)


def test_a_build_is_pending_until_it_is_decided(here: Hosted) -> None:
    build = here.world.upload({"a": "red"}, commit=COMMIT)
    here.run()
    assert here.statuses() == both("pending")
    assert here.words(DEFAULT) == "Build #1: uploading and comparing"
    finish_shard(here.world.repository, build.id, 1, SYSTEM)
    here.run()
    # Nothing new to say while it is compared.
    assert len(here.host.calls("set_status")) == 2
    here.world.process(build)
    here.run()
    assert here.statuses() == both("pending")
    assert here.words(DEFAULT) == "Review needed: 1 new"
    here.approve(build)
    here.run()
    assert here.statuses() == both("success")
    assert here.words("visual-review") == "Approved: 1 new"


def test_the_status_leads_to_the_page_of_the_build(here: Hosted) -> None:
    build = here.world.publish({"a": "red"}, commit=COMMIT)
    here.run()
    for status in here.host.statuses_of(NAME, COMMIT).values():
        assert status.url.endswith(f"/builds/{build.id}")


def test_a_repository_without_a_connected_host_tells_nobody(here: Hosted) -> None:
    here.world.repository.host_account = None
    here.world.repository.save()
    here.approve(here.world.publish({"a": "red"}, commit=COMMIT))
    assert not HostMessage.objects.exists()


def test_a_build_without_changes_succeeds(here: Hosted) -> None:
    here.approve(here.world.publish({"a": "red"}, commit=OTHER))
    here.world.publish({"a": "red"}, commit=COMMIT)
    here.run()
    assert here.statuses() == both("success")
    assert here.words(DEFAULT) == "No visual changes (1 compared)"


def test_a_due_review_may_fail_the_commit_by_a_setting(here: Hosted) -> None:
    here.world.repository.review_due_status = "failure"
    here.world.repository.save()
    here.world.upload({"a": "red"}, commit=OTHER)
    here.world.publish({"a": "red"}, commit=COMMIT)
    here.run()
    assert here.statuses() == both("failure")
    assert here.statuses(OTHER) == both("pending")


def test_a_rejected_build_fails_and_an_approval_after_it_succeeds(here: Hosted) -> None:
    build = here.world.publish({"a": "red"}, commit=COMMIT)
    here.world.act("reject_build", buildId=build.id)
    here.run()
    assert here.statuses() == both("failure")
    here.approve(build)
    here.run()
    assert here.statuses() == both("success")


def test_failed_screenshots_fail_the_commit_until_somebody_accepts_them(here: Hosted) -> None:
    build = here.world.publish({"a": "error", "b": "red"}, commit=COMMIT)
    here.run()
    assert here.statuses() == both("failure")
    assert here.words(DEFAULT) == "Review needed: 1 new, 1 failed"
    here.approve(build)
    here.run()
    assert here.statuses() == both("success")


def test_a_failed_build_says_why(here: Hosted) -> None:
    build = here.world.upload({"a": "red"}, commit=COMMIT)
    finish_shard(here.world.repository, build.id, 1, SYSTEM)
    fail(build.id, "The disk is full.\nFree some space.")
    here.run()
    assert here.statuses() == both("error")
    assert here.words(DEFAULT) == "Build #1 failed: The disk is full. Free some space."


def test_an_expired_build_says_so(here: Hosted) -> None:
    build = here.world.upload({"a": "red"}, commit=COMMIT)
    Build.objects.filter(pk=build.pk).update(last_upload_at=now().replace(year=2020))
    expire_builds()
    here.run()
    assert here.statuses() == both("error")
    assert "Publish again" in here.words(DEFAULT)


def test_the_summary_succeeds_when_every_product_of_the_commit_does(here: Hosted) -> None:
    web = here.world.publish({"a": "red"}, commit=COMMIT, product_key="web")
    shop = here.world.publish({"a": "red"}, commit=COMMIT, product_key="shop")
    # A product without a build of this commit holds nothing up.
    here.world.publish({"a": "red"}, commit=OTHER, product_key="docs")
    here.approve(web)
    here.run()
    assert here.statuses() == {
        "visual-review/web": "success",
        "visual-review/shop": "pending",
        "visual-review": "pending",
    }
    assert here.words("visual-review") == "2 products: 1 to review, 1 passed"
    here.approve(shop)
    here.run()
    assert here.statuses()["visual-review"] == "success"


def test_of_two_builds_of_a_product_the_newer_counts(here: Hosted) -> None:
    older = here.world.publish({"a": "red"}, commit=COMMIT)
    here.world.publish({"a": "blue"}, commit=COMMIT)
    here.approve(older)
    here.run()
    assert here.statuses() == both("pending")


def test_equal_words_are_not_sent_twice(here: Hosted) -> None:
    build = here.world.publish({"a": "red"}, commit=COMMIT)
    here.approve(build)
    here.run()
    sent = len(here.host.calls("set_status"))
    here.world.act("approve_all_screenshots", buildId=build.id)
    here.run()
    assert len(here.host.calls("set_status")) == sent


def test_a_fork_without_a_pull_request_has_no_commit_here(here: Hosted) -> None:
    here.world.publish({"a": "red"}, commit=COMMIT, fork="mallory/web")
    here.run()
    assert not here.host.calls()


def test_a_fork_with_a_pull_request_is_told(here: Hosted) -> None:
    here.host.open_pull_request(NAME, "feature", COMMIT, head_repository="bob/web")
    here.world.publish({"a": "red"}, "feature", commit=COMMIT, fork="bob/web", target="main")
    here.run()
    assert here.statuses() == both("pending")
    assert len(here.comments()) == 1


def test_a_recomparison_is_told(here: Hosted) -> None:
    here.approve(here.world.publish({"a": "red"}, matrix=DESKTOP, commit=OTHER))
    build = here.world.publish({"a": "blue"}, commit=COMMIT)
    here.run()
    assert here.statuses() == both("pending")
    whole = [{"x": 0, "y": 0, "width": 1, "height": 1}]
    here.world.act(
        "set_dynamic_regions",
        repoId=here.world.repository.id,
        storyId="a",
        theme="light",
        device="desktop",
        regions=whole,
    )
    here.compare_again(build)
    here.run()
    assert here.statuses() == both("success")
