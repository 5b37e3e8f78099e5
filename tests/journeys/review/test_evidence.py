"""The pages show what a program had looked at before it decided."""

from playwright.sync_api import expect

from tests.support.api_reviewers import agent_of, look_at, review
from tests.support.rendered_world import RenderedWorld, ReviewPage, publish_changes
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
