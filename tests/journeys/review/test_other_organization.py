"""A build's page stays open while the person switches to another organization."""

from playwright.sync_api import expect

from tests.support.browser import OpenVisitor
from tests.support.personas import Personas
from tests.support.published_changes import publish_changes
from tests.support.review_page import ReviewPage
from visual_review.accounts.models import Membership, Organization


def test_a_decision_after_a_switch_says_where_the_build_is(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    build = publish_changes(personas.alice, 1)
    globex = Organization.objects.create(name="Globex")
    Membership.objects.create(organization=globex, user=personas.alice.user, role="viewer")
    review = ReviewPage(open_visitor(personas.alice))
    review.open(build.path)
    other = review.visitor.page.context.new_page()
    other.goto(f"{review.visitor.address}/account")
    other.get_by_role("button", name="Switch to Globex").click()
    other.wait_for_url(f"{review.visitor.address}/")
    review.visitor.page.bring_to_front()
    review.reject("Too red")
    notice = review.visitor.page.get_by_text("This build belongs to Acme. You switched to another")
    expect(notice.first).to_be_visible()
    assert build.decisions() == {}
