"""A build's page stays open while the person switches to another organization."""

from playwright.sync_api import expect

from tests.support.rendered_world import RenderedWorld, publish_changes
from visual_review.accounts.models import Membership, Organization


def test_a_decision_after_a_switch_says_where_the_build_is(world: RenderedWorld) -> None:
    build = publish_changes(world, 1)
    globex = Organization.objects.create(name="Globex")
    Membership.objects.create(organization=globex, user=world.personas.alice.user, role="viewer")
    review = world.review(build, world.personas.alice)
    other = review.visitor.page.context.new_page()
    other.goto(f"{review.visitor.address}/account")
    other.get_by_role("button", name="Switch to Globex").click()
    other.wait_for_url(f"{review.visitor.address}/")
    review.visitor.page.bring_to_front()
    review.reject("Too red")
    notice = review.visitor.page.get_by_text("This build belongs to Acme. You switched to another")
    expect(notice.first).to_be_visible()
    assert world.decisions(build) == {}
