"""All members of a group at once, in a grid."""

import io

from PIL import Image, ImageDraw
from playwright.sync_api import expect

from tests.support.accessibility import find_violations, prepare
from tests.support.images import encode_png, page
from tests.support.rendered_world import RenderedWorld, ReviewPage
from tests.support.worlds import World
from visual_review.builds.models import Build

MEMBERS = 5
WINDOW = {"width": 1440, "height": 900}


def publish_group(world: World) -> Build:
    """Publish five cards whose button changed alike, and one with another change besides."""
    stories = [f"card--{number}" for number in range(MEMBERS)]
    before = {story: page(320, 240 + 10 * number) for number, story in enumerate(stories)}
    odd = {"card--odd": page(320, 400)}
    world.approve(world.publish(before | odd))
    after = {story: page(320, 240 + 10 * at, "green") for at, story in enumerate(stories)}
    return world.publish(after | {"card--odd": add_square(page(320, 400, "green"))})


def add_square(data: bytes) -> bytes:
    with Image.open(io.BytesIO(data)) as image:
        ImageDraw.Draw(image).rectangle((250, 300, 280, 330), "orange")
        return encode_png(image)


def open_member(world: RenderedWorld, build: Build) -> ReviewPage:
    visitor = world.open_window(world.personas.bob, viewport=WINDOW)
    prepare(visitor.page.context)
    review = ReviewPage(visitor)
    review.open(f"/builds/{build.id}?shot={build.screenshots.get(story_id='card--0').pk}")
    review.wait_until_painted()
    return review


def open_grid(world: RenderedWorld, build: Build) -> ReviewPage:
    review = open_member(world, build)
    review.press("g")
    expect(review.dialog.locator(".grid-cell[data-painted='true']")).to_have_count(MEMBERS)
    return review


def decisions_of(build: Build) -> dict[str, str]:
    rows = build.screenshots.exclude(review_decision="")
    return dict(rows.values_list("story_id", "review_decision"))


def test_a_group_is_seen_at_once_and_the_rest_is_decided(world: RenderedWorld) -> None:
    build = publish_group(world)
    review = open_grid(world, build)
    grid = review.dialog
    expect(grid.locator(".grid__apart")).to_contain_text("1 screenshot with changes of its own")
    expect(grid.locator(".grid__status")).to_contain_text("all 5 in view")
    review.press("ArrowRight", "x")
    expect(grid.locator(".grid__approve")).to_have_text("Approve 4")
    review.press("a")
    expect(review.visitor.page.locator(".dialog--approve-members")).to_contain_text("4 screenshots")
    review.press("Enter")
    review.wait_until_saved()
    review.wait_until_closed()
    approved = decisions_of(build)
    assert len(approved) == MEMBERS - 1
    assert set(approved.values()) == {"approved"}
    assert "card--odd" not in approved
    # Next is the member taken out, or the change apart.
    assert review.current
    assert review.visitor.console_errors == []


def test_a_group_is_rejected_with_one_comment(world: RenderedWorld) -> None:
    build = publish_group(world)
    review = open_grid(world, build)
    assert find_violations(review.visitor.page) == []
    review.press("r")
    review.visitor.page.locator(".dialog--reject").wait_for()
    review.type("Too green.")
    review.press("Control+Enter")
    review.wait_until_saved()
    assert set(decisions_of(build).values()) == {"rejected"}
    assert len(decisions_of(build)) == MEMBERS


def test_enter_shows_a_member_and_g_closes(world: RenderedWorld) -> None:
    build = publish_group(world)
    review = open_grid(world, build)
    before = review.current
    review.press("End", "Enter")
    review.wait_until_closed()
    review.wait_until_left(before)
    review.wait_until_painted()
    review.press("g")
    review.dialog.wait_for()
    review.press("b", "g")
    review.wait_until_closed()


def test_approving_a_group_that_was_not_in_view_shows_it_first(world: RenderedWorld) -> None:
    build = publish_group(world)
    review = open_member(world, build)
    review.press("Shift+A")
    expect(review.dialog.locator(".grid-cell[data-painted='true']")).to_have_count(MEMBERS)
    assert decisions_of(build) == {}
    review.press("Escape")
    review.wait_until_closed()
    review.press("Shift+A")
    review.wait_until_saved()
    assert len(decisions_of(build)) == MEMBERS


def test_a_selection_is_seen_at_once_too(world: RenderedWorld) -> None:
    build = publish_group(world)
    review = open_member(world, build)
    review.press("v", "g")
    expect(review.dialog.locator(".grid-cell[data-painted]")).to_have_count(MEMBERS + 1)
    review.press("Home", "x", "a", "Enter")
    review.wait_until_saved()
    assert len(decisions_of(build)) == MEMBERS


def test_a_rejected_member_begins_taken_out(world: RenderedWorld) -> None:
    build = publish_group(world)
    rejected = build.screenshots.get(story_id="card--2").pk
    world.act("review_screenshot", screenshotId=rejected, state="rejected", comment="No.")
    review = open_grid(world, build)
    expect(review.dialog.locator(".grid__approve")).to_have_text("Approve 4")
    review.press("a", "Enter")
    review.wait_until_saved()
    review.wait_until_closed()
    assert decisions_of(build)["card--2"] == "rejected"
    assert len(decisions_of(build)) == MEMBERS


def test_changes_that_are_not_from_the_branch_are_one_group_at_the_end(
    world: RenderedWorld,
) -> None:
    stories = [f"card--{number}" for number in range(MEMBERS)]
    hashes = {story: {"source_hash": "same", "renderer_hash": "same"} for story in stories}
    before = {story: page(320, 240) for story in stories}
    world.approve(world.publish(before, hashes=hashes))
    after = {story: page(320, 240, "green", (10 * at, 40)) for at, story in enumerate(stories)}
    hashes["card--0"] = {"source_hash": "changed", "renderer_hash": "same"}
    build = world.publish(after | {"new--a": page(320, 240, "blue")}, hashes=hashes)
    review = open_member(world, build)
    text = review.root.inner_text()
    assert text.index("new--a") < text.index("Not from this branch: unstable")
    shown = build.screenshots.get(story_id="card--1").pk
    review.open(f"/builds/{build.id}?shot={shown}")
    review.wait_until_painted()
    review.approve_group()
    review.wait_until_saved()
    assert set(decisions_of(build)) == {f"card--{number}" for number in range(1, MEMBERS)}
