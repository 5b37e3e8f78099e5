"""A visit of a reviewer, as the person sees it: tiles, scrolling, going on, deciding."""

from collections.abc import Iterator
from typing import Any, Final

from playwright.sync_api import Browser

from benchmarks.page.results import Scenario, TabRow
from benchmarks.page.server_times import PageError
from benchmarks.page.tab import Tab, open_tab, signed_in_context

STEPS: Final = 20
DECISIONS: Final = 10
# A reviewer looks at each change for a moment.
LOOK_MILLISECONDS: Final = 400
# Pixels a second: reading, turning the wheel as fast as one can, and dragging the scroll bar.
SPEEDS: Final = (1_500, 6_000, 40_000)
SCROLL_SECONDS: Final = 2.0
JUMPS: Final = 12
# The effects of keys, in the probe's notes.
PAINTED: Final = "window.pageProbe.images.some((image) => image.ok)"
DECIDED: Final = "window.pageProbe.answers.some((each) => each.path.endsWith('/decisions'))"
UNDONE: Final = "window.pageProbe.answers.some((each) => each.path.endsWith('/undo'))"
# Freshly loaded parts are not yet part of the measurement.
SETTLE_MILLISECONDS: Final = 1_000


def visit_builds(
    browser: Browser, url: str, cookies: dict[str, str], builds: dict[str, str], latency: float
) -> Iterator[TabRow]:
    """Visit each build with an empty cache, and again; ``builds`` are names by ID."""
    for build, name in builds.items():
        with signed_in_context(browser, url, cookies) as context:
            for is_warm in (False, True):
                tab = open_tab(browser, context, latency)
                yield visit(tab, f"{url}/builds/{build}", Scenario(name, latency, is_warm))
                tab.page.close()


def visit(tab: Tab, address: str, scenario: Scenario) -> TabRow:
    tab.page.goto(address, wait_until="commit")
    tab.wait_for("all thumbnails in view", "Boolean(window.pageProbe?.allTiles)")
    opened = tab.probe()
    tab.page.wait_for_timeout(SETTLE_MILLISECONDS)
    next_change = measure_steps(tab)
    shown, saved = measure_decisions(tab)
    blank = measure_scrolling(tab)
    return TabRow(
        scenario,
        first_tile=opened["firstTile"] / 1000,
        all_tiles=opened["allTiles"] / 1000,
        longest_blank=blank,
        shown=shown,
        saved=saved,
        next_change=next_change,
        memory=tab.memory(),
    )


def measure_steps(tab: Tab) -> list[float]:
    """Return the seconds from each key to the painted images of the next change."""
    return [_seconds_to_images(_press(tab, "s", PAINTED)) for _ in range(STEPS)]


def measure_decisions(tab: Tab) -> tuple[list[float], list[float]]:
    """Approve one after the other, then undo all; return the seconds to shown and to saved."""
    noted = [_press(tab, "a", DECIDED) for _ in range(DECISIONS)]
    for _ in range(DECISIONS):
        _press(tab, "z", UNDONE)
    keys = [each["keys"][-1] for each in noted]
    shown = [(key["shown"] - key["at"]) / 1000 for key in keys if key["shown"]]
    saved = [_seconds_to_answer(each) for each in noted]
    if len(shown) != len(keys):
        raise PageError(f"Only {len(shown)} of {len(keys)} decisions were shown.")
    return shown, saved


def measure_scrolling(tab: Tab) -> float:
    """Scroll through the list at each speed and jump; return the longest blank in seconds."""
    box = tab.page.evaluate("window.pageProbe.scroller().getBoundingClientRect().toJSON()")
    tab.page.evaluate("window.pageProbe.scroller().scrollTo(0, 0)")
    tab.page.wait_for_timeout(SETTLE_MILLISECONDS)
    tab.page.evaluate("window.pageProbe.isWatching = true")
    for speed in SPEEDS:
        tab.network.send(
            "Input.synthesizeScrollGesture",
            {
                "x": box["x"] + box["width"] / 2,
                "y": box["y"] + box["height"] / 2,
                "yDistance": -speed * SCROLL_SECONDS,
                "speed": speed,
                "gestureSourceType": "mouse",
            },
        )
    for jump in range(JUMPS):
        # Back and forth, to places not seen yet.
        share = (jump * 0.618034) % 1
        tab.page.evaluate(
            "share => { const list = window.pageProbe.scroller();"
            " list.scrollTo(0, share * list.scrollHeight) }",
            share,
        )
        tab.page.wait_for_timeout(LOOK_MILLISECONDS)
    tab.page.evaluate("window.pageProbe.isWatching = false")
    return float(tab.probe()["longestBlank"]) / 1000


def _press(tab: Tab, key: str, until: str) -> dict[str, Any]:
    """Press the key once the images are shown; return the notes until the key's effect."""
    tab.wait_for("the images", "document.querySelector('#review').hasAttribute('data-painted')")
    tab.page.evaluate("window.pageProbe.images = []; window.pageProbe.answers = []")
    tab.page.keyboard.press(key)
    tab.wait_for(f"the effect of {key}", until)
    tab.page.wait_for_timeout(LOOK_MILLISECONDS)
    return tab.probe()


def _seconds_to_images(noted: dict[str, Any]) -> float:
    images = [image["at"] for image in noted["images"] if image["ok"]]
    if not images:
        raise PageError("The viewer showed no image after the key for the next change.")
    return float(max(images) - noted["keys"][-1]["at"]) / 1000


def _seconds_to_answer(noted: dict[str, Any]) -> float:
    answers = [each for each in noted["answers"] if each["path"].endswith("/decisions")]
    if not answers:
        raise PageError("No decision was sent to the server.")
    return float(answers[0]["at"] - noted["keys"][-1]["at"]) / 1000
