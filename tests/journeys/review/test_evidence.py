"""The pages say who decided and after which look, to new reviewers and across organizations."""

import pytest
from playwright.sync_api import expect

from tests.support.api_reviewers import agent_of, look_at, review
from tests.support.browser import NARROWEST
from tests.support.images import page
from tests.support.personas import PASSWORD
from tests.support.rendered_world import RenderedWorld, ReviewPage, path_of, publish_changes
from tests.support.worlds import World
from visual_review.accounts.models import Membership, Organization
from visual_review.builds.models import Screenshot


def test_pages_and_the_audit_log_show_what_an_agent_had_looked_at(world: RenderedWorld) -> None:
    build = publish_changes(world, 3)
    first, second, *_ = Screenshot.objects.filter(build=build).order_by("number")
    agent = agent_of(world.personas.bob)
    look_at(agent, first, form="sheet", scale=0.5)
    review(
        agent,
        build,
        {"state": "approved", "screenshots": [f"#{first.number}", f"#{second.number}"]},
    )
    visitor = world.open_window(world.personas.alice)
    page = ReviewPage(visitor)
    facts = visitor.page.locator(".stage__facts")
    for shot, text in (
        (
            first,
            "Approved by Bob through a client that calls itself Claude Code 2.1.0; looked at before and after at 50%",
        ),
        (
            second,
            "Approved by Bob through a client that calls itself Claude Code 2.1.0 without a look at what changed",
        ),
    ):
        page.open(f"/builds/{build.id}?shot={shot.pk}")
        visitor.page.locator(".stage__more > summary").click()
        expect(facts).to_contain_text(text)
    visitor.open("/audit")
    row = visitor.page.locator("tr", has_text="approved screenshots")
    expect(row).to_contain_text("through a client that calls itself Claude Code 2.1.0")
    row.get_by_text("What changed", exact=True).click()
    expect(row).to_contain_text(
        "Claude Code 2.1.0; 1 of 2 screenshots without a look at what changed"
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_viewer_leads_to_the_approval_that_was_carried_over(
    world: RenderedWorld, scheme: str
) -> None:
    before, after = page(600, 300), page(600, 300, "green", at=(400, 180))
    world.approve(world.publish({"card": before, "menu": before}))
    shown = {"card": after, "menu": after}
    first = world.publish(shown, "feature", target="main", number=1)
    world.approve(first)
    build = world.publish(shown, "other", target="main", number=2)
    visitor = world.open_window(world.personas.bob, color_scheme=scheme)
    review = ReviewPage(visitor)
    for width in (NARROWEST, 1440):
        visitor.page.set_viewport_size({"width": width, "height": 900})
        review.open(f"/builds/{build.id}?shot={world.shot(build, 'card').id}")
        visitor.page.locator(".stage__more > summary").click()
        visitor.page.get_by_text("Approved by Alice, carried over").first.wait_for()
    visitor.page.get_by_role("link", name="From #1 (build #2)").click()
    visitor.page.wait_for_url(f"**/builds/{first.id}#{world.shot(first, 'card').id}")
    assert visitor.console_errors == []


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


# The keys shown to a person who has never seen the page.
FIRST_KEYS = ("a", "r", "s", "z", "d")


def test_a_new_reviewer_finds_decides_and_approves_a_build(world: RenderedWorld) -> None:
    build = publish_changes(world, 3)
    other = publish_changes(World(world.persona, "acme/other"), 2)
    visitor = world.open_window()
    visitor.sign_in(world.personas.bob.user.email, PASSWORD)
    visitor.page.get_by_role("link", name=world.name).first.click()
    visitor.page.locator(f'a[href^="{path_of(build)}"]').first.click()
    page = ReviewPage(visitor)
    page.wait_until_loaded()
    hint = visitor.page.locator(".key-hint")
    hint.wait_for()
    assert [key.lower() for key in hint.locator("kbd").all_inner_texts()[:5]] == list(FIRST_KEYS)
    expect(visitor.page.get_by_text("0 of 3 decided")).to_be_visible()
    page.press("a", "a")
    page.wait_until_saved()
    expect(visitor.page.get_by_text("2 of 3 decided")).to_be_visible()
    assert world.review_state(build) == "unreviewed"
    # The last one would approve the build, so the page asks.
    page.press("a")
    page.dialog.get_by_text("Version 2 becomes the baseline of main").wait_for()
    assert world.review_state(build) == "unreviewed"
    page.press("Enter")
    page.wait_until_saved()
    assert world.review_state(build) == "approved"
    page.dialog.get_by_text("Version 2 is the baseline of main now").wait_for()
    page.dialog.get_by_role("button", name="Review #").click()
    visitor.page.wait_for_url(lambda url: path_of(build) not in url)
    page.wait_until_loaded()
    assert world.review_state(other) == "unreviewed"
    # Chromium reports the response with the server's question.
    assert [text for text in visitor.console_errors if "409" not in text] == []
