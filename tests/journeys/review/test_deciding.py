"""Deciding on the review page, also by keyboard alone, and undoing decisions."""

import time

import pytest
from playwright.sync_api import Dialog, Route, expect

from tests.support.browser import wait_for
from tests.support.depth import rounds
from tests.support.hosted_world import COMMIT, NAME, HostedWorld
from tests.support.images import page
from tests.support.rendered_world import RenderedWorld, ReviewPage, path_of, publish_changes
from tests.support.worlds import World
from visual_review.builds.models import Screenshot


def test_a_group_and_a_selection_are_decided_at_once(world: RenderedWorld) -> None:
    before, after = page(600, 300), page(600, 300, "green", at=(400, 180))
    cards = [f"card--{name}" for name in ("plain", "image", "disabled")]
    others = {"menu--open": before, "tabs--plain": before}
    world.approve(world.publish(dict.fromkeys(cards, before) | others))
    changed = {"menu--open": page(600, 330, "red"), "tabs--plain": page(600, 320, "navy")}
    build = world.publish(dict.fromkeys(cards, after) | changed)
    review = ReviewPage(world.open_window(world.personas.bob))
    first = Screenshot.objects.filter(build=build, story_id__in=cards).earliest("pk")
    review.open(f"/builds/{build.id}?shot={first.pk}")

    def approved() -> set[str]:
        rows = Screenshot.objects.filter(build=build, review_decision="approved")
        return set(rows.values_list("story_id", flat=True))

    review.approve_group()
    review.wait_until_saved()
    assert approved() == set(cards)
    expect(review.decision_bar).to_contain_text("Undecided")
    review.press("z")
    review.wait_until_saved()
    assert approved() == set()
    assert review.current == first.pk
    # The selection is everything in the list; the server asks, as the build would be approved.
    review.press("v", "a")
    review.dialog.wait_for()
    assert "Version 2 becomes the baseline of main" in review.dialog.inner_text()
    review.dialog.get_by_role("button", name="Not now").click()
    review.wait_until_saved()
    assert approved() == set()
    expect(review.decision_bar).to_contain_text("Undecided")


def test_the_last_decision_asks_and_leads_on(world: RenderedWorld) -> None:
    waiting = publish_changes(World(world.persona, "acme/waiting"), 1)
    build = publish_changes(world, 2)
    review = world.review(build)
    review.press("a")
    review.wait_until_saved()
    review.press("a")
    review.dialog.wait_for()
    assert world.review_state(build) == "unreviewed"
    review.press("Enter")
    summary = review.dialog.filter(has_text="is approved")
    expect(summary).to_contain_text("Version 2 is the baseline of main now.")
    assert world.review_state(build) == "approved"
    assert world.review_state(waiting) == "unreviewed"
    expect(summary.get_by_role("button", name="Review #")).to_be_visible()
    summary.get_by_role("button", name="Stay here").click()
    # An approved screenshot is not cleared; the baseline may be restored.
    review.press("c")
    refused = review.visitor.page.locator(".toast--error")
    expect(refused.get_by_role("link", name="Restore an earlier baseline")).to_be_visible()
    expect(review.decision_bar).to_contain_text("Not saved")
    expect(review.decision_bar).to_contain_text("Approved by Bob")


def test_undecided_removals_are_offered_before_the_build_is_approved(world: RenderedWorld) -> None:
    kept, gone = page(600, 300), page(500, 200)
    first = world.publish({"card--kept": kept, "card--gone": gone, "card--lost": gone})
    world.approve(first)
    build = world.publish({"card--kept": page(600, 300, "green")})
    changed = Screenshot.objects.get(build=build, story_id="card--kept")
    review = world.review(build, shot=changed.pk)
    review.press("a")
    review.dialog.wait_for()
    assert "2 removed screenshots are undecided." in review.dialog.inner_text()
    # The first button accepts nothing.
    review.press("Enter")
    review.wait_until_saved()
    build.refresh_from_db()
    assert build.review_state == "unreviewed"
    removed = Screenshot.objects.filter(build=build, diff_state="removed")
    assert review.current in set(removed.values_list("pk", flat=True))
    assert not removed.exclude(review_decision="").exists()
    review.open(f"/builds/{build.id}?shot={changed.pk}")
    review.press("a")
    review.dialog.get_by_role("button", name="Accept them and approve").click()
    expect(review.dialog).to_contain_text("is approved")
    build.refresh_from_db()
    assert build.review_state == "approved"


def test_approving_the_build_asks_about_rejections(world: RenderedWorld) -> None:
    build = publish_changes(world, 3)
    bob = world.review(build)
    bob.reject("Too dark")
    bob.wait_until_saved()
    alice = world.review(build, world.personas.alice)
    alice.press("Shift+B")
    alice.dialog.wait_for()
    assert "1 rejected screenshot (1 by Bob)" in alice.dialog.inner_text()
    approve = alice.dialog.get_by_role("button", name="Approve build")
    approve.click()
    assert world.review_state(build) != "approved"
    alice.dialog.get_by_label("Also approve").check()
    approve.click()
    expect(alice.dialog).to_contain_text("is approved")
    assert world.review_state(build) == "approved"


def test_a_reload_sends_what_was_not_saved(world: RenderedWorld) -> None:
    build = publish_changes(world, 3)
    review = ReviewPage(world.open_window(world.personas.bob))
    window = review.visitor.page
    questions: list[str] = []

    def leave(dialog: Dialog) -> None:
        questions.append(dialog.type)
        dialog.accept()

    def fail(route: Route) -> None:
        route.abort()

    window.on("dialog", leave)
    # A page already open may send one more request past a new route.
    window.route("**/decisions", fail)
    review.open(path_of(build))
    review.press("a")
    expect(window.get_by_text("1 decision not saved yet")).to_be_visible()
    window.reload()
    review.wait_until_loaded()
    assert questions == ["beforeunload"]
    window.unroute("**/decisions", fail)
    review.wait_until_saved()
    assert list(world.decisions(build).values()) == ["approved"]


def test_keys_act_only_where_no_one_types(world: RenderedWorld) -> None:
    build = publish_changes(world, 3)
    review = world.review(build)
    visitor = review.visitor
    visitor.page.get_by_role("button", name="Got it").click()
    review.press("/")
    review.type("card")
    expect(visitor.page.get_by_role("searchbox")).to_have_value("card")
    review.press("Escape")
    visitor.page.locator(".stage__title").focus()
    review.press("?")
    review.dialog.wait_for()
    assert "Approve the screenshot, or the selection" in review.dialog.inner_text()
    review.press("a")
    review.dialog.get_by_label("Keys without Ctrl act on this page").uncheck()
    review.press("Escape")
    review.wait_until_closed()
    review.press("a")
    assert world.decisions(build) == {}
    visitor.page.reload()
    review.wait_until_loaded()
    review.press("a")
    expect(visitor.page.get_by_role("button", name="Got it")).to_have_count(0)
    assert world.decisions(build) == {}
    assert visitor.console_errors == []


def test_a_link_shows_the_same_to_someone_else(world: RenderedWorld) -> None:
    build = publish_changes(world, 4)
    bob = world.review(build)
    bob.press("s", "s", "3")
    shown = bob.current
    bob.visitor.page.wait_for_url("**mode=swipe*")
    alice = ReviewPage(world.open_window(world.personas.alice))
    alice.open(bob.visitor.page.url.removeprefix(bob.visitor.address))
    assert alice.current == shown
    viewer = alice.visitor.page.locator("screenshot-viewer")
    wait_for("the mode is the same", lambda: viewer.evaluate("v => v.state.mode") == "swipe")
    carol = world.review(build, world.personas.carol)
    carol.press("a")
    expect(carol.visitor.page.locator(".toast")).to_contain_text("You can view this build")
    assert world.decisions(build) == {}


def test_no_one_decides_before_the_images_are_shown(world: RenderedWorld) -> None:
    build = publish_changes(world, 2)
    review = ReviewPage(world.open_window(world.personas.bob))
    held: list[Route] = []
    review.visitor.page.route("**/images/*", lambda route: held.append(route))  # noqa: PLW0108 - Playwright takes no built-in method.
    review.open(path_of(build))
    expect(review.decision_bar.get_by_role("button", name="Loading").first).to_be_disabled()
    for key in ("a", "r", "Shift+A", "t"):
        review.visitor.page.keyboard.press(key)
        review.expect_announced("Loading: decide once the images are shown.")
    assert not review.dialog.count()
    # Routes are handled while the page is asked something.
    wait_for("both sides are fetched", lambda: review.current and len(held) >= 2)
    held.pop(0).continue_()
    # One side is not enough.
    expect(review.decision_bar.get_by_role("button", name="Loading").first).to_be_disabled()
    for route in held:
        route.continue_()
    review.visitor.page.unroute("**/images/*")
    expect(review.decision_bar.get_by_role("button", name="Approve:")).to_be_enabled()
    # Not even for a frame do the images of one screenshot count for the next one.
    empty = "(viewer) => { viewer.screenshot = null; return viewer.isPainted; }"
    assert review.visitor.page.locator("screenshot-viewer").evaluate(empty) is False
    assert world.decisions(build) == {}


def test_a_decision_in_a_superseded_build_offers_the_newer_one(world: RenderedWorld) -> None:
    before, after = page(600, 300), page(600, 300, "green", at=(400, 180))
    approved = world.publish({"card--same": before, "card--other": before})
    world.approve(approved)
    build = world.publish({"card--same": after, "card--other": after})
    newest = world.publish({"card--same": after, "card--other": page(600, 320, "red")})
    shots = {shot.story_id: shot for shot in Screenshot.objects.filter(build=build)}
    review = world.review(build, shot=shots["card--other"].pk)
    review.press("a")
    expect(review.dialog).to_contain_text(f"Build #{newest.number} is newer")
    expect(review.dialog.get_by_role("button", name=f"Open #{newest.number}")).to_be_focused()
    review.press("Escape")
    review.wait_until_closed()
    review.open(f"/builds/{build.id}?shot={shots['card--same'].pk}")
    review.press("a")
    review.dialog.get_by_role("button", name=f"Show it in #{newest.number}").click()
    same = Screenshot.objects.get(build=newest, story_id="card--same")
    expect(review.root).to_have_attribute("data-current", same.pk)
    assert not Screenshot.objects.exclude(review_decision="").filter(build=build).exists()
    review.open(f"/builds/{build.id}?shot={shots['card--same'].pk}")
    review.press("a")
    review.dialog.get_by_role("button", name="Decide here").click()
    review.wait_until_saved()
    # Asked once.
    review.press("z")
    review.wait_until_saved()
    assert not review.dialog.count()
    assert not Screenshot.objects.exclude(review_decision="").filter(build=build).exists()


def test_new_and_removed_stories_are_groups_that_are_decided_at_once(world: RenderedWorld) -> None:
    image = page(600, 300)
    first = world.publish({"card--kept": image, "card--gone": image, "menu--gone": image})
    world.approve(first)
    build = world.publish({"card--kept": image, "card--new": image, "menu--new": image})
    shots = {shot.story_id: shot for shot in Screenshot.objects.filter(build=build)}
    review = world.review(build, shot=shots["card--gone"].pk)
    page_text = review.visitor.page.locator("#review")
    expect(page_text).to_contain_text("2 removed stories")
    expect(page_text).to_contain_text("2 new stories")
    expect(page_text).to_contain_text("0 of 2 decided, 2 removals undecided")
    review.approve_group()
    review.wait_until_saved()
    decided = Screenshot.objects.filter(build=build, review_decision="approved")
    assert set(decided.values_list("story_id", flat=True)) == {"card--gone", "menu--gone"}
    expect(page_text).to_contain_text("0 of 2 decided")
    expect(page_text).not_to_contain_text("undecided,")
    build.refresh_from_db()
    assert build.review_state == "unreviewed"


def test_decisions_are_undone_one_after_the_other(world: RenderedWorld) -> None:
    build = publish_changes(world, 5)
    page = world.review(build)
    first = page.current
    page.press("a", "a")
    page.reject("Too dark")
    page.wait_until_saved()
    assert sorted(world.decisions(build).values()) == ["approved", "approved", "rejected"]
    page.press("z", "z", "Control+z")
    page.wait_until_saved()
    assert world.decisions(build) == {}
    assert page.current == first


def comments_about_rejections(world: HostedWorld) -> list[str]:
    return [body for body in world.comments() if "Too dark" in body]


def test_a_rejection_undone_at_once_never_appears_and_a_later_one_is_withdrawn(
    world: RenderedWorld,
) -> None:
    hosted = HostedWorld(world.persona, NAME)
    hosted.open_pull_request()
    build = publish_changes(hosted, 3, branch="feature", target="main", commit=COMMIT)
    page = world.review(build)
    page.reject("Too dark")
    page.wait_until_saved()
    hosted.notify()
    assert comments_about_rejections(hosted) == []
    page.press("z")
    page.wait_until_saved()
    hosted.notify_later()
    assert comments_about_rejections(hosted) == []
    page.reject("Too dark")
    page.wait_until_saved()
    hosted.notify_later()
    (posted,) = comments_about_rejections(hosted)
    assert "withdrawn" not in posted.lower()
    page.press("z")
    page.wait_until_saved()
    hosted.notify_later()
    (posted,) = comments_about_rejections(hosted)
    assert "withdrawn" in posted.lower()


CHANGES = rounds(30, 300)
# One of them is rejected, with a comment.
REJECTED = 4
COMMENT = "The button hides the text."


def test_every_change_is_decided_without_a_pointer(
    world: RenderedWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    build = publish_changes(world, CHANGES)
    page = world.review(build)
    visitor = page.visitor
    began = time.monotonic()
    for number in range(CHANGES):
        before = page.current
        if number == REJECTED:
            page.reject(COMMENT)
        else:
            page.press("a")
        if number < CHANGES - 1:
            page.wait_until_left(before)
    page.wait_until_saved()
    seconds = time.monotonic() - began
    with capsys.disabled():
        print(f"\n{CHANGES} changes by keyboard: {seconds:.0f} s, {page.keys} keys")  # noqa: T201 - Figures to publish.
    decisions = world.decisions(build)
    assert len(decisions) == CHANGES
    assert list(decisions.values()).count("rejected") == 1
    assert page.keys == CHANGES + len(COMMENT) + 1
    assert visitor.console_errors == []


def test_alike_changes_are_decided_with_one_key_and_the_build_with_another(
    world: RenderedWorld,
) -> None:
    build = publish_changes(world, 12)
    page = world.review(build)
    page.press("Shift+B")
    page.dialog.wait_for()
    assert "version 2 becomes the baseline of main" in page.dialog.inner_text().lower()
    page.press("Enter")
    page.wait_until_saved()
    assert world.review_state(build) == "approved"
