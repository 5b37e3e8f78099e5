"""Sessions end, networks fail, and no decision is lost or made twice."""

from urllib.parse import urlsplit

from playwright.sync_api import expect

from tests.support.browser import wait_for
from tests.support.personas import PASSWORD
from tests.support.rendered_world import RenderedWorld, ReviewPage, path_of, publish_changes
from visual_review.builds.models import ReviewEntry


def test_a_session_that_ends_in_a_decision_loses_nothing(world: RenderedWorld) -> None:
    build = publish_changes(world, 4)
    page = world.review(build)
    visitor = page.visitor
    page.wait_until_painted()
    visitor.page.context.clear_cookies()
    page.press("a")
    page.dialog.wait_for()
    assert "sign in" in page.dialog.inner_text().lower()
    assert world.decisions(build) == {}
    # He signs in in another tab.
    with visitor.page.context.expect_page() as opened:
        page.dialog.get_by_role("link", name="Sign in").click()
    other = opened.value
    other.get_by_label("E-mail address").fill(world.personas.bob.user.email)
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Sign in").click()
    # Closed before the response, the tab would take the request along.
    other.wait_for_url(lambda url: urlsplit(url).path != "/sign-in")
    other.close()
    visitor.page.bring_to_front()
    page.wait_until_saved()
    assert list(world.decisions(build).values()) == ["approved"]
    assert ReviewEntry.objects.filter(build=build).count() == 1


def test_decisions_without_a_network_are_sent_once_when_it_is_back(world: RenderedWorld) -> None:
    build = publish_changes(world, 6)
    page = world.review(build)
    visitor = page.visitor
    page.wait_until_fetched(4)
    visitor.page.context.set_offline(True)
    page.press("a", "a")
    expect(visitor.page.get_by_text("2 decisions not saved yet")).to_be_visible()
    assert world.decisions(build) == {}
    visitor.page.context.set_offline(False)
    page.wait_until_saved()
    assert len(world.decisions(build)) == 2
    assert ReviewEntry.objects.filter(build=build).count() == 2


def test_a_lost_answer_is_asked_again_without_a_second_effect(world: RenderedWorld) -> None:
    build = publish_changes(world, 3)
    visitor = world.open_window(world.personas.bob)
    page = ReviewPage(visitor)
    lost: list[int] = []

    def lose_first(route: object) -> None:
        response = route.fetch()  # type: ignore[attr-defined]
        lost.append(response.status)
        route.abort() if len(lost) == 1 else route.fulfill(response=response)  # type: ignore[attr-defined]

    visitor.page.route("**/decisions", lose_first)
    page.open(path_of(build))
    page.press("a")
    page.wait_until_saved()
    assert lost == [200, 200]
    assert ReviewEntry.objects.filter(build=build).count() == 1


def test_a_slow_network_delays_no_key(world: RenderedWorld) -> None:
    build = publish_changes(world, 8)
    page = world.review(build)
    visitor = page.visitor
    network = visitor.page.context.new_cdp_session(visitor.page)
    network.send("Network.enable")
    slow = {
        "offline": False,
        "latency": 1500,
        "downloadThroughput": 50_000,
        "uploadThroughput": 50_000,
    }
    network.send("Network.emulateNetworkConditions", slow)
    seen = {page.current}
    for _ in range(5):
        before = page.current
        page.press("a")
        page.wait_until_left(before)
        seen.add(page.current)
    # All were shown before the server confirmed the first.
    assert len(seen) == 6
    wait_for("all are saved", lambda: len(world.decisions(build)) == 5)
    page.wait_until_saved()
