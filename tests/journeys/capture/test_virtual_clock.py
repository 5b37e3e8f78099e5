"""The clock of a page, its timers and its random numbers, in one page of the real browser."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Route

from tests.support.browser import open_browser
from visual_review.client.capture import CaptureSettings
from visual_review.client.capture.page_setup import page_script

HTML = "<!doctype html><html><head></head><body><div id='storybook-root'></div></body></html>"
INSTANT = "2024-01-01T12:00:00.000Z"
START = """() => {
    __visualReview.reset();
    __visualReview.reseed(true);
    window.log = [];
}"""


@pytest.fixture(scope="module")
def browser_page() -> Iterator[Page]:
    with open_browser() as browser:
        context = browser.new_context(locale="en-US", timezone_id="UTC")
        context.add_init_script(page_script(CaptureSettings()))
        page = context.new_page()
        page.route(
            "http://clock.localhost/",
            lambda route: route.fulfill(body=HTML, content_type="text/html"),
        )
        yield page


@pytest.fixture
def page(browser_page: Page) -> Page:
    # Frames left behind by a story go on in the next one.
    browser_page.goto("http://clock.localhost/")
    browser_page.evaluate(START)
    return browser_page


def run(page: Page, code: str) -> Any:  # noqa: ANN401 -- Any JSON value.
    """Run ``code`` as a story, and return its log when the page is quiet."""
    page.evaluate(f"() => {{ {code} }}")
    assert page.evaluate("() => __visualReview.settle(20_000)") is None
    return page.evaluate("() => window.log")


@pytest.mark.parametrize(
    ("code", "logged"),
    [
        ("setTimeout(() => log.push('late'), 2900)", ["late"]),
        ("setTimeout(() => log.push('a toast is gone'), 3000)", []),
        ("let n = 0; setInterval(() => { log[0] = ++n; }, 1000)", [10]),
        ("let n = 0; const step = () => { log[0] = ++n; setTimeout(step, 300); }; step()", [34]),
        ("const id = setInterval(() => log.push(1) > 2 && clearInterval(id), 50)", [1, 1, 1]),
        (
            "let n = 0; const step = () => { log[0] = ++n; requestAnimationFrame(step); }; step()",
            [151],
        ),
        ("setTimeout(() => log.push(2), 9); setTimeout(() => log.push(1), 8)", [1, 2]),
        ("const id = setTimeout(() => log.push('wrong'), 10); clearTimeout(id)", []),
        (
            "requestIdleCallback((idle) => { while (idle.timeRemaining() > 0); log.push('idle'); })",
            ["idle"],
        ),
        ("setTimeout(log.push.bind(log), 5, 'first', 'second')", ["first", "second"]),
        ("setTimeout('log.push(\"text\")', 5)", ["text"]),
        ("AbortSignal.timeout(400).onabort = () => log.push('aborted')", ["aborted"]),
    ],
)
def test_timers_run_in_page_time_up_to_its_limit(page: Page, code: str, logged: list[Any]) -> None:
    assert run(page, code) == logged


def test_an_hour_of_short_timers_takes_no_hour(page: Page) -> None:
    code = "const start = Date.now(); setTimeout(() => log.push(Date.now() - start), 2500)"
    before = page.evaluate("() => __visualReview.time()")
    assert run(page, code) == [2500]
    assert page.evaluate("() => __visualReview.time()") - before < 2000


CLOCKS = (
    "new Date().toISOString()",
    "new Date(Date.now()).toISOString()",
    "new Date(performance.timeOrigin + performance.now()).toISOString()",
    "new Date(new Event('made').timeStamp + performance.timeOrigin).toISOString()",
    "new Date(document.lastModified + ' UTC').toISOString()",
    "new Date(new File([], 'x').lastModified).toISOString()",
    "new (class extends Date {})().toISOString()",
    "new Date(Date() ).toISOString()",
)


@pytest.mark.parametrize("clock", CLOCKS)
def test_every_clock_shows_the_same_instant(page: Page, clock: str) -> None:
    assert page.evaluate(f"() => {clock}") == INSTANT


def test_formats_without_a_date_show_the_page_time(page: Page) -> None:
    code = "new Intl.DateTimeFormat('en', { dateStyle: 'short', timeStyle: 'medium' })"
    given = page.evaluate(f"() => {code}.format(new Date())")
    assert page.evaluate(f"() => {code}.format()") == given
    assert (
        page.evaluate(f"() => {code}.formatToParts().map(({{value}}) => value).join('')") == given
    )
    if page.evaluate("() => 'Temporal' in window"):
        assert page.evaluate("() => Temporal.Now.instant().toString()") == "2024-01-01T12:00:00Z"


def test_random_numbers_start_equal_for_every_story(page: Page) -> None:
    code = (
        "() => [Math.random(), crypto.randomUUID(), ...crypto.getRandomValues(new Uint8Array(4))]"
    )
    first = page.evaluate(code)
    assert page.evaluate(code) != first
    page.evaluate(START)
    assert page.evaluate(code) == first
    assert first[1][14] == "4"


def test_the_clock_stands_while_something_loads(page: Page) -> None:
    page.route("**/slow.json", lambda route: route.fulfill(json={}))
    code = """setTimeout(() => {
        fetch('/slow.json').then((response) => response.json()).then(() => log.push('loaded'));
        setTimeout(() => log.push('timer'), 1);
    }, 10)"""
    assert run(page, code) == ["loaded", "timer"]


def test_timers_of_an_earlier_story_do_not_run_in_the_next(page: Page) -> None:
    assert len(run(page, "setInterval(() => log.push('old'), 1000)")) == 10
    page.evaluate(START)
    page.evaluate("() => __visualReview.drive()")
    assert run(page, "setTimeout(() => log.push('new'), 100)") == ["new"]


def test_an_animation_that_starts_again_at_its_end_is_held(page: Page) -> None:
    code = """const root = document.getElementById('storybook-root');
        const start = () => { root.animate([{ opacity: 0 }, { opacity: 1 }], 500).onfinish = start; };
        start();"""
    run(page, code)
    states = page.evaluate("() => document.getAnimations().map(({ playState }) => playState)")
    assert states == ["paused"]


def test_endless_messages_of_an_earlier_story_leave_those_of_the_next(page: Page) -> None:
    channel = "const { port1, port2 } = new MessageChannel();"
    run(page, f"{channel} port1.onmessage = () => port2.postMessage(0); port2.postMessage(0);")
    page.evaluate(START)
    # As before each story, so that the loop goes on.
    request = "{ id: 'next', capture: { leftovers: { file: '', tolerated: ['*'] } } }"
    page.evaluate(f"() => __visualReview.hooks.reset.forEach((hook) => hook({request}))")
    code = f"""{channel}
        const send = () => port2.postMessage(0);
        port1.onmessage = () => log.push('m') < 9 && setTimeout(send, 7);
        send();"""
    assert run(page, code) == ["m"] * 9


INNER = """<p>0</p>
    <script>let n = 0; setInterval(() => { document.body.textContent = ++n; }, 120);</script>"""
OUTER = """<p>outer</p><script>
    const inner = document.body.appendChild(document.createElement("iframe"));
    inner.src = "/inner.html";</script>"""


def test_a_frame_inside_of_a_frame_settles_as_well(page: Page) -> None:
    def respond(route: Route) -> None:
        body = INNER if "inner" in route.request.url else OUTER
        route.fulfill(body=body, content_type="text/html")

    page.route("**/*.html", respond)
    code = """const frame = document.createElement('iframe');
        frame.src = '/outer.html';
        document.getElementById('storybook-root').append(frame);
        // Scripts run in the first document, which gives its window to the next one.
        frame.contentWindow.__visualReview;"""
    run(page, code)
    text = page.evaluate("() => frames[0].frames[0].document.body.textContent")
    # As many steps as fit into 10 s of page time.
    assert text == "83"
