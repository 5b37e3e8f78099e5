"""Commit statuses follow every change of a build: one for each product and one for all."""

from dataclasses import replace

import pytest

from tests.support.hosted_world import COMMIT, NAME, HostedWorld, world_with_build
from tests.support.personas import Personas
from tests.support.worlds import DESKTOP
from visual_review.audit.log import SYSTEM
from visual_review.builds.baselines.resolution import CaptureHashes
from visual_review.builds.comparing.complete import fail_build
from visual_review.builds.models import BaselineEntry, Build, HostMessage
from visual_review.builds.publishing.create import digest_sources
from visual_review.builds.publishing.finish import finish_shard
from visual_review.builds.publishing.uploads import expire_builds
from visual_review.jobs.builds.compare_build import compare_build
from visual_review.jobs.hosts.calls.pull_request_snapshots import apply_event
from visual_review.kernel.clock import now

DEFAULT = "visual-review/default"
BOTH = (DEFAULT, "visual-review")
OTHER = "b" * 40


@pytest.fixture
def world(personas: Personas) -> HostedWorld:
    """The host knows nothing yet of the build in review; the build has no pull request."""
    return world_with_build(personas.alice, {"a": "red"}, pull_request=False)


def both(state: str) -> dict[str, str]:
    return dict.fromkeys(BOTH, state)


def test_a_build_is_pending_until_it_is_decided(empty_world: HostedWorld) -> None:
    build = empty_world.upload({"a": "red"}, commit=COMMIT)
    empty_world.notify()
    assert empty_world.statuses() == both("pending")
    assert empty_world.description(DEFAULT) == "Build #1: uploading and comparing"
    finish_shard(empty_world.repository, build.id, 1, SYSTEM)
    empty_world.notify()
    # Nothing new to say during the comparison.
    assert len(empty_world.host.calls("set_status")) == 2
    empty_world.process(build)
    empty_world.notify()
    assert empty_world.statuses() == both("pending")
    assert empty_world.description(DEFAULT) == "Review needed: 1 new"
    empty_world.approve(build)
    empty_world.notify()
    assert empty_world.statuses() == both("success")
    assert empty_world.description("visual-review") == "Approved: 1 new"


def test_the_status_leads_to_the_page_of_the_build(world: HostedWorld) -> None:
    world.notify()
    for status in world.host.statuses_of(NAME, COMMIT).values():
        assert status.url.endswith(f"/builds/{world.build.id}")


def test_a_repository_without_a_connected_host_sends_nothing(empty_world: HostedWorld) -> None:
    empty_world.repository.host_account = None
    empty_world.repository.save()
    empty_world.approve(empty_world.publish({"a": "red"}, commit=COMMIT))
    assert not HostMessage.objects.exists()


def test_a_build_without_changes_succeeds(empty_world: HostedWorld) -> None:
    empty_world.approve(empty_world.publish({"a": "red"}, commit=OTHER))
    empty_world.publish({"a": "red"}, commit=COMMIT)
    empty_world.notify()
    assert empty_world.statuses() == both("success")
    assert empty_world.description(DEFAULT) == "No visual changes (1 compared)"


class SkippingPullRequest:
    """A pull request whose builds capture nothing, after an approved baseline of two stories."""

    def __init__(self, world: HostedWorld) -> None:
        self.world = world
        shots = {"a": "red", "b": "red"}
        world.approve(self.world.publish(shots, commit=OTHER))
        BaselineEntry.objects.update(source_hash="known", renderer_hash="same")

    def publish(self, *, fork: str = "", sources: str = "") -> Build:
        digest = (
            digest_sources(
                {"a": CaptureHashes(sources, "same"), "b": CaptureHashes("known", "same")}
            )
            if sources
            else ""
        )
        if not Build.objects.filter(branch="feature").exists():
            self.world.host.open_pull_request(NAME, "feature", COMMIT, head_repository=fork)
        build = self.world.publish(
            {},
            "feature",
            fork=fork,
            target="main",
            stories=("a", "b"),
            commit=COMMIT,
            sources_digest=digest,
        )
        self.world.notify()
        return build

    def allow(self) -> None:
        settings = {"postsComments": True, "commentPictures": True, "reviewDueStatus": "pending"}
        row = self.world.repository
        self.world.act("set_repo_host", repoId=row.id, **settings, allowsSkip=True)
        row.refresh_from_db()
        self.world.notify()


@pytest.fixture
def skipping(empty_world: HostedWorld) -> SkippingPullRequest:
    return SkippingPullRequest(empty_world)


def test_a_pull_request_that_captured_nothing_waits_for_a_reviewer(
    skipping: SkippingPullRequest,
) -> None:
    world = skipping.world
    build = skipping.publish()
    assert build.review_state == "not_required"
    assert world.statuses() == both("pending")
    described = "Nothing captured (0 captured, 2 taken over): approve the build"
    assert world.description(DEFAULT).startswith(described)
    assert "nothing was captured" in world.comments()[0]
    world.approve(build)
    world.notify()
    assert world.statuses() == both("success")


def test_equal_sources_prove_that_nothing_had_to_be_captured(skipping: SkippingPullRequest) -> None:
    skipping.publish(sources="other")
    assert skipping.world.statuses() == both("pending")
    skipping.publish(sources="known")
    assert skipping.world.statuses() == both("success")
    described = skipping.world.description(DEFAULT)
    assert described == "No visual changes (0 captured, 2 taken over)"
    # The images of another browser are unknown.
    BaselineEntry.objects.filter(story_id="a").update(renderer_hash="other")
    skipping.publish(sources="known")
    assert skipping.world.statuses() == both("pending")
    BaselineEntry.objects.filter(story_id="a").update(renderer_hash="same")
    # A story of the baseline whose source is unknown proves nothing.
    BaselineEntry.objects.filter(story_id="a").update(source_hash="")
    skipping.publish(sources="known")
    assert skipping.world.statuses() == both("pending")


def test_a_repository_may_let_its_own_branches_skip(skipping: SkippingPullRequest) -> None:
    skipping.publish()
    skipping.allow()
    assert skipping.world.statuses() == both("success")


def test_forks_never_pass_with_nothing_captured(skipping: SkippingPullRequest) -> None:
    skipping.publish(fork="bob/web")
    skipping.allow()
    assert skipping.world.statuses() == both("pending")


def test_builds_that_took_most_over_say_so(skipping: SkippingPullRequest) -> None:
    world = skipping.world
    world.publish({}, stories=("a", "b"), commit=COMMIT)
    world.notify()
    # No one merges a push to the branch itself.
    assert world.statuses() == both("success")
    assert world.description(DEFAULT) == "No visual changes (0 captured, 2 taken over)"
    world.publish({"a": "blue"}, stories=("a", "b"), commit=OTHER)
    world.notify()
    assert world.description(DEFAULT, OTHER) == "Review needed: 1 changed"


def test_a_due_review_may_fail_the_commit_by_a_setting(empty_world: HostedWorld) -> None:
    empty_world.repository.review_due_status = "failure"
    empty_world.repository.save()
    empty_world.upload({"a": "red"}, commit=OTHER)
    empty_world.publish({"a": "red"}, commit=COMMIT)
    empty_world.notify()
    assert empty_world.statuses() == both("failure")
    assert empty_world.statuses(OTHER) == both("pending")


def test_a_rejected_build_fails_and_an_approval_after_it_succeeds(world: HostedWorld) -> None:
    world.act("reject_build", buildId=world.build.id)
    world.notify()
    assert world.statuses() == both("failure")
    world.approve(world.build)
    world.notify()
    assert world.statuses() == both("success")


def test_failed_screenshots_fail_the_commit_until_they_are_accepted(
    empty_world: HostedWorld,
) -> None:
    build = empty_world.publish({"a": "error", "b": "red"}, commit=COMMIT)
    empty_world.notify()
    assert empty_world.statuses() == both("failure")
    assert empty_world.description(DEFAULT) == "Review needed: 1 new, 1 failed"
    empty_world.approve(build)
    empty_world.notify()
    assert empty_world.statuses() == both("success")


def test_a_failed_build_says_why(empty_world: HostedWorld) -> None:
    build = empty_world.upload({"a": "red"}, commit=COMMIT)
    finish_shard(empty_world.repository, build.id, 1, SYSTEM)
    fail_build(build.id, "The disk is full.\nFree some space.")
    empty_world.notify()
    assert empty_world.statuses() == both("error")
    assert empty_world.description(DEFAULT) == "Build #1 failed: The disk is full. Free some space."


def test_an_expired_build_says_so(empty_world: HostedWorld) -> None:
    build = empty_world.upload({"a": "red"}, commit=COMMIT)
    Build.objects.filter(pk=build.pk).update(last_upload_at=now().replace(year=2020))
    expire_builds()
    empty_world.notify()
    assert empty_world.statuses() == both("error")
    assert "Publish again" in empty_world.description(DEFAULT)


def test_the_summary_succeeds_when_every_product_of_the_commit_does(
    empty_world: HostedWorld,
) -> None:
    web = empty_world.publish({"a": "red"}, commit=COMMIT, product_key="web")
    shop = empty_world.publish({"a": "red"}, commit=COMMIT, product_key="shop")
    # A product without a build of the commit blocks nothing.
    empty_world.publish({"a": "red"}, commit=OTHER, product_key="docs")
    empty_world.approve(web)
    empty_world.notify()
    assert empty_world.statuses() == {
        "visual-review/web": "success",
        "visual-review/shop": "pending",
        "visual-review": "pending",
    }
    assert empty_world.description("visual-review") == "2 products: 1 to review, 1 passed"
    empty_world.approve(shop)
    empty_world.notify()
    assert empty_world.statuses()["visual-review"] == "success"


def test_of_two_builds_of_a_product_the_newer_counts(world: HostedWorld) -> None:
    older = world.build
    world.publish({"a": "blue"}, commit=COMMIT)
    world.approve(older)
    world.notify()
    assert world.statuses() == both("pending")


def test_an_equal_status_is_not_sent_twice(world: HostedWorld) -> None:
    world.approve(world.build)
    world.notify()
    sent = len(world.host.calls("set_status"))
    world.act("approve_all_screenshots", buildId=world.build.id)
    world.notify()
    assert len(world.host.calls("set_status")) == sent


def test_a_fork_without_a_pull_request_has_no_commit_here(empty_world: HostedWorld) -> None:
    empty_world.publish({"a": "red"}, commit=COMMIT, fork="mallory/web")
    empty_world.notify()
    assert not empty_world.host.calls()


def test_a_fork_with_a_pull_request_gets_statuses_and_a_comment(empty_world: HostedWorld) -> None:
    empty_world.host.open_pull_request(NAME, "feature", COMMIT, head_repository="bob/web")
    empty_world.publish({"a": "red"}, "feature", commit=COMMIT, fork="bob/web", target="main")
    empty_world.notify()
    assert empty_world.statuses() == both("pending")
    assert len(empty_world.comments()) == 1


def test_a_recomparison_updates_the_statuses(empty_world: HostedWorld) -> None:
    empty_world.approve(empty_world.publish({"a": "red"}, matrix=DESKTOP, commit=OTHER))
    build = empty_world.publish({"a": "blue"}, commit=COMMIT)
    empty_world.notify()
    assert empty_world.statuses() == both("pending")
    whole = [{"x": 0, "y": 0, "width": 1, "height": 1}]
    empty_world.act(
        "set_dynamic_regions",
        repoId=empty_world.repository.id,
        storyId="a",
        theme="light",
        device="desktop",
        regions=whole,
    )
    compare_build(build.id)
    empty_world.notify()
    assert empty_world.statuses() == both("success")


def test_an_open_pull_request_counts_before_builds_of_its_branch_alone(
    empty_world: HostedWorld,
) -> None:
    number = empty_world.host.open_pull_request(NAME, "one", COMMIT).number
    build = empty_world.publish({"a": "red"}, "one", target="main", number=number, commit=COMMIT)
    # Many workflows run for the push and for the pull request.
    empty_world.publish({"a": "red"}, "one", commit=COMMIT)
    empty_world.approve(build)
    empty_world.notify()
    assert empty_world.statuses() == both("success")


def test_the_worst_of_the_open_pull_requests_of_a_commit_counts(empty_world: HostedWorld) -> None:
    world, host = empty_world, empty_world.host
    first, second = (
        host.open_pull_request(NAME, branch, COMMIT).number for branch in ("one", "two")
    )
    rejected = world.publish({"a": "red"}, "one", target="main", number=first, commit=COMMIT)
    world.act("reject_build", buildId=rejected.id)
    empty_world.notify()
    assert empty_world.statuses() == both("failure")
    # The other pull request's build of the same commit is approved.
    other = world.publish({"a": "blue"}, "two", target="main", number=second, commit=COMMIT)
    world.approve(other)
    empty_world.notify()
    assert empty_world.statuses() == both("failure")
    pull = host.open_pull_request(NAME, "unused", OTHER)
    closed = replace(
        pull, number=first, state="closed", head_branch="one", head_commit=COMMIT, updated_at=now()
    )
    apply_event(empty_world.repository, closed)
    empty_world.notify()
    assert empty_world.statuses() == both("success")
