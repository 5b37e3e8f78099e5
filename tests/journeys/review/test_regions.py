"""Dynamic regions are set on the image, by pointer and by keys."""

from playwright.sync_api import expect

from tests.support.accessibility import find_violations, prepare
from tests.support.images import page
from tests.support.rendered_world import RenderedWorld, ReviewPage
from visual_review.builds.models import Build
from visual_review.builds.variants import Variant
from visual_review.repositories.models import DynamicRegions

BOTH = (Variant("light", "desktop"), Variant("dark", "desktop"))


def open_editor(world: RenderedWorld) -> tuple[ReviewPage, Build]:
    before, after = page(400, 300), page(400, 300, "green")
    world.approve(world.publish({"clock": before}, matrix=BOTH))
    build = world.publish({"clock": after}, matrix=BOTH)
    visitor = world.open_window(world.personas.bob, viewport={"width": 1440, "height": 900})
    prepare(visitor.page.context)
    review = ReviewPage(visitor)
    shot = build.screenshots.get(theme="light").pk
    review.open(f"/builds/{build.id}?shot={shot}")
    review.wait_until_painted()
    review.press("i")
    review.dialog.wait_for()
    return review, build


def save(review: ReviewPage) -> None:
    review.dialog.get_by_role("button", name="Save regions").click()
    review.wait_until_closed()


def test_a_region_is_drawn_resized_and_copied(world: RenderedWorld) -> None:
    review, build = open_editor(world)
    page_, place = review.visitor.page, review.dialog.locator(".region-editor__place")
    expect(review.dialog.get_by_role("status")).to_have_text("0 of 1 change lies inside")
    box = place.bounding_box()
    assert box
    assert (box["width"], box["height"]) == (400, 300)
    page_.mouse.move(box["x"] + 40, box["y"] + 30)
    page_.mouse.down()
    page_.mouse.move(box["x"] + 80, box["y"] + 50, steps=4)
    page_.mouse.up()
    region = review.dialog.locator(".region")
    expect(region).to_have_count(1)
    # The region is resized by its corner, until all of the button is inside.
    corner = region.locator(".region__corner").bounding_box()
    assert corner
    page_.mouse.move(corner["x"] + 8, corner["y"] + 8)
    page_.mouse.down()
    page_.mouse.move(box["x"] + 140, box["y"] + 90, steps=4)
    page_.mouse.up()
    expect(review.dialog.get_by_role("status")).to_have_text("1 of 1 change lies inside")
    assert find_violations(page_) == []
    review.dialog.get_by_label("dark, desktop").check()
    save(review)
    review.expect_announced("Regions saved for 2 variants. 1 undecided build is compared again.")
    sets = {each.theme: each for each in DynamicRegions.objects.filter(product=build.product)}
    assert sets["light"].regions == sets["dark"].regions
    assert sets["light"].updated_by == world.personas.bob.user.name
    assert [round(value * 100) for value in sets["light"].regions[0].values()] == [10, 10, 25, 20]
    review.visitor.open(f"/repositories/{build.repository_id}/regions")
    expect(page_.get_by_role("row", name="clock")).to_have_count(2)
    expect(page_.get_by_role("row", name="clock").first).to_contain_text(
        world.personas.bob.user.name
    )
    assert find_violations(page_) == []


def test_keys_draw_move_resize_and_delete(world: RenderedWorld) -> None:
    review, build = open_editor(world)
    add = review.dialog.get_by_role("button", name="Add a region")
    add.focus()
    review.press("Enter")
    expect(review.dialog.locator(".region")).to_be_focused()
    review.press("ArrowLeft", "ArrowUp", "Shift+ArrowRight", "Shift+ArrowDown")
    expect(review.dialog.locator(".region")).to_have_attribute(
        "aria-label", "Region 1 of 1, 128 \u00d7 38 px at 132, 97"
    )
    add.focus()
    review.press("Enter", "Delete")
    expect(review.dialog.locator(".region")).to_have_count(1)
    save(review)
    review.expect_announced("Regions saved for 1 variant.")
    assert DynamicRegions.objects.get(product=build.product).theme == "light"


def test_regions_can_be_deleted_where_the_image_is_gone(world: RenderedWorld) -> None:
    review, build = open_editor(world)
    review.press("Escape")
    review.wait_until_closed()
    review.visitor.page.route("**/images/*", lambda route: route.fulfill(status=404))
    region = {"x": 0.1, "y": 0.1, "width": 0.2, "height": 0.2}
    DynamicRegions.objects.create(
        product=build.product, story_id="clock", theme="light", device="desktop", regions=[region]
    )
    review.visitor.page.reload()
    review.wait_until_loaded()
    expect(review.root.locator("screenshot-viewer")).to_contain_text("not in the storage any more")
    review.press("i")
    expect(review.dialog).to_contain_text("The image is not in the storage any more.")
    review.dialog.locator(".region").focus()
    review.press("Delete")
    save(review)
    review.expect_announced("Regions saved for 1 variant.")
    assert not DynamicRegions.objects.filter(product=build.product).exists()


def test_the_image_keeps_its_shape_where_the_page_became_shorter(world: RenderedWorld) -> None:
    world.approve(world.publish({"page": page(400, 600)}))
    build = world.publish({"page": page(400, 300)})
    review = world.review(build, viewport={"width": 1440, "height": 900})
    review.wait_until_painted()
    review.press("i")
    place = review.dialog.locator(".region-editor__place").bounding_box()
    image = review.dialog.locator(".region-editor__image").bounding_box()
    assert place
    assert image
    # Regions are fractions of both sides together, and the later one is half as high.
    assert (place["width"], place["height"]) == (400, 600)
    assert (image["width"], image["height"]) == (400, 300)
    assert image["y"] == place["y"]
