"""The element ``<screenshot-viewer>`` outside the service, on pages of a plain web server."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import Touch, wait_for
from tests.support.case import Case
from tests.support.hosts.local_server import LocalServer, ReceivedRequest, Reply, local_server
from tests.support.images import page as page_image

KINDS = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript",
    ".css": "text/css",
    ".png": "image/png",
}
SECONDS = 60


@dataclass
class StaticSite:
    """``files`` by path, for a test to change; a path in ``held`` waits until its event."""

    folders: dict[str, Path]
    files: dict[str, bytes] = field(default_factory=dict)
    held: dict[str, Event] = field(default_factory=dict)
    address: str = ""

    def respond(self, request: ReceivedRequest) -> Reply:
        if request.path in self.held:
            self.held[request.path].wait(SECONDS)
        data = self.read(request.path)
        if data is None:
            return Reply(404, [b"There is no such file."], kind="text/plain")
        return Reply(200, [data], kind=KINDS[Path(request.path).suffix])

    def read(self, path: str) -> bytes | None:
        if path in self.files:
            return self.files[path]
        for prefix, folder in self.folders.items():
            file = folder / path.removeprefix(prefix)
            if path.startswith(prefix) and file.is_file():
                return file.read_bytes()
        return None


@contextmanager
def static_site(**folders: Path) -> Iterator[StaticSite]:
    """Serve each folder below the path of its name."""
    site = StaticSite({f"/{name}/": folder for name, folder in folders.items()})
    server: LocalServer
    with local_server(site.respond) as server:
        site.address = server.address
        try:
            yield site
        finally:
            for event in site.held.values():
                event.set()


ROOT = Path(__file__).parents[3]
MODULES = ROOT / "src/visual_review/web/static/web/viewer"
REFERENCE = ROOT / "docs/reference/screenshot-viewer.md"
AXE = ROOT / "javascript/node_modules/axe-core/axe.min.js"
PLAIN = (
    '<!doctype html><html lang="en"><title>Viewer</title>'
    '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/page.css">'
    "<main><h1>Viewer</h1><screenshot-viewer></screenshot-viewer></main>"
    '<script type="module" src="/viewer/screenshot_viewer.js"></script>'
)
STYLE = (
    b":root{color-scheme:light dark} body{margin:0} h1{position:absolute;clip-path:inset(50%)}"
    b"screenshot-viewer{height:100vh}"
)
WIDTH, HEIGHT = 1200, 3000
AT = (60, 2000)
MODES = ("Side by side", "Overlay", "Swipe", "Blink", "Difference")
TOP_LEFT_OF = """([x, y]) => {
  const viewer = document.querySelector("screenshot-viewer");
  const { zoom, x: left, y: top } = viewer.state;
  const view = viewer.shadowRoot.querySelector(".view").getBoundingClientRect();
  return [view.x + view.width / 2 + (x - left) * zoom, view.y + view.height / 2 + (y - top) * zoom];
}"""
PIXEL = """([index, x, y]) => {
  const viewer = document.querySelector("screenshot-viewer");
  const view = viewer.shadowRoot.querySelectorAll(".view")[index];
  const { zoom, x: left, y: top } = viewer.state;
  const ratio = devicePixelRatio;
  const canvas = view.querySelector("canvas");
  const at = [
    (view.clientWidth / 2 + (x - left) * zoom) * ratio,
    (view.clientHeight / 2 + (y - top) * zoom) * ratio,
  ];
  return [...canvas.getContext("2d").getImageData(Math.round(at[0]), Math.round(at[1]), 1, 1).data];
}"""
RED, GREEN, WHITE = [255, 0, 0, 255], [0, 128, 0, 255], [255, 255, 255, 255]
SHIFTS = """() => {
  window.shifts = [];
  new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map((e) => e.value)))
    .observe({ type: "layout-shift", buffered: true });
}"""


def source(name: str, width: int = WIDTH, height: int = HEIGHT) -> dict[str, Any]:
    return {"url": f"/{name}.png", "width": width, "height": height}


def change(x: int = AT[0], y: int = AT[1], **more: object) -> dict[str, Any]:
    usual = {"kind": "color", "width": 40, "height": 20, "pixels": 800}
    return {"x": x, "y": y, "description": "color changed", **usual, **more}


def screenshot(**parts: object) -> dict[str, Any]:
    return {
        "id": "shot_1",
        "label": "Sign-in page",
        "state": "changed",
        "before": source("before"),
        "after": source("after"),
        "diff": None,
        "changes": [change()],
        "boxes": [],
        "regions": [],
        **parts,
    }


@dataclass
class ViewerPage:
    """A page with a viewer, and ways to look at the viewer."""

    page: Page
    site: StaticSite

    def show(self, **parts: object) -> None:
        self.evaluate("(viewer, input) => { viewer.screenshot = input; }", screenshot(**parts))

    def evaluate(self, script: str, argument: object = None) -> Any:  # noqa: ANN401 - JSON.
        return self.page.locator("screenshot-viewer").evaluate(script, argument)

    def state(self) -> dict[str, Any]:
        return dict(self.evaluate("viewer => viewer.state"))

    def pixel(self, x: int, y: int, pane: int = 0) -> list[int]:
        """Return the painted color at a point of the image."""
        return list(self.page.evaluate(PIXEL, [pane, x, y]))

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point of the image is on the page."""
        left, top = self.page.evaluate(TOP_LEFT_OF, [x, y])
        return left, top

    def wait_for_pixel(self, color: list[int], x: int = 80, y: int = 2010, pane: int = 0) -> None:
        wait_for(f"{color} is painted", lambda: self.pixel(x, y, pane) == color)

    def choose(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def press_on_image(self, key: str) -> None:
        self.page.get_by_role("application").focus()
        self.page.keyboard.press(key)


OpenPage = Callable[..., ViewerPage]


@pytest.fixture(scope="module")
def images() -> dict[str, bytes]:
    return {
        "/before.png": page_image(WIDTH, HEIGHT, "#ff0000", AT),
        "/after.png": page_image(WIDTH, HEIGHT, "#008000", AT),
    }


@pytest.fixture
def site(images: dict[str, bytes]) -> Iterator[StaticSite]:
    with static_site(viewer=MODULES) as served:
        served.files |= {"/page.html": PLAIN.encode(), "/page.css": STYLE, **images}
        yield served


@pytest.fixture
def open_page(browser: Browser, site: StaticSite) -> Iterator[OpenPage]:
    problems: list[str] = []
    contexts = []

    def open_page(path: str = "/page.html", **options: Any) -> ViewerPage:  # noqa: ANN401 - Playwright's.
        options = {"viewport": {"width": 1280, "height": 720}, "reduced_motion": "reduce"} | options
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(f"{site.address}{path}")
        # Some pages' policies would refuse a script of the page, but not an evaluated function.
        page.locator("screenshot-viewer").evaluate(
            "() => customElements.whenDefined('screenshot-viewer')"
        )
        return ViewerPage(page, site)

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


def test_the_documented_example_works(open_page: OpenPage, site: StaticSite) -> None:
    found = re.search(r"```html\n(.*?)```", REFERENCE.read_text(), re.DOTALL)
    assert found
    site.files["/example.html"] = found[1].encode()
    opened = open_page("/example.html")
    opened.wait_for_pixel(RED)
    opened.wait_for_pixel(GREEN, pane=1)
    opened.choose("Next change")
    expect(opened.page).to_have_title("Change 1 of 1")


def test_it_opens_at_the_change_and_nothing_moves_when_images_arrive(open_page: OpenPage) -> None:
    opened = open_page()
    opened.page.evaluate(SHIFTS)
    opened.site.held |= {"/before.png": Event(), "/after.png": Event()}
    opened.show()
    expect(opened.page.get_by_text("Loading the image…")).to_have_count(2)
    before = opened.place(*AT)
    for event in opened.site.held.values():
        event.set()
    opened.wait_for_pixel(RED)
    opened.wait_for_pixel(GREEN, pane=1)
    assert opened.place(*AT) == before
    assert 100 < before[1] < 620
    assert opened.state()["zoom"] >= 0.5
    assert opened.page.evaluate("window.shifts") == []
    expect(opened.page.get_by_role("toolbar")).to_contain_text("1 of 1")


def test_every_mode_shows_both_sides_in_its_way(open_page: OpenPage, case: Case) -> None:
    opened = open_page()
    opened.show()
    opened.wait_for_pixel(RED)
    expected = {
        "Side by side": RED,
        "Overlay": [127, 64, 0, 255],
        "Swipe": RED,
        "Blink": GREEN,
        "Difference": [255, 128, 0, 255],
    }
    assert set(expected) == set(MODES)
    for name, color in expected.items():
        with case(name):
            opened.choose(name)
            expect(opened.page.get_by_role("button", name=name, exact=True)).to_have_attribute(
                "aria-pressed", "true"
            )
            wait_for(
                "it is painted",
                lambda color=color: all(
                    abs(one - other) <= 1
                    for one, other in zip(opened.pixel(80, 2010), color, strict=True)
                ),
            )


def test_the_divider_and_the_opacity_are_moved_by_keys_and_pointer(open_page: OpenPage) -> None:
    opened = open_page()
    opened.show()
    opened.choose("Swipe")
    divider = opened.page.get_by_role("slider", name="Divider between before and after")
    divider.focus()
    opened.page.keyboard.press("Home")
    opened.wait_for_pixel(GREEN)
    box = divider.bounding_box()
    assert box
    opened.page.mouse.move(box["x"] + box["width"] / 2 + 3, 300)
    opened.page.mouse.down()
    opened.page.mouse.move(900, 300)
    opened.page.mouse.up()
    opened.wait_for_pixel(RED)
    assert opened.state()["divider"] == pytest.approx(900 / 1280, abs=0.08)
    opened.choose("Overlay")
    opened.page.get_by_role("slider", name="Opacity of after").fill("100")
    opened.wait_for_pixel(GREEN)


def test_one_camera_moves_both_sides(open_page: OpenPage) -> None:
    opened = open_page()
    opened.show()
    opened.wait_for_pixel(RED)
    at = opened.place(*AT)
    opened.page.mouse.move(*at)
    opened.page.keyboard.down("Control")
    opened.page.mouse.wheel(0, -100)
    opened.page.keyboard.up("Control")
    wait_for("it is larger", lambda: opened.state()["zoom"] > 0.6)
    # The content under the pointer stays there, but for the edge of the image.
    assert opened.place(*AT)[1] == pytest.approx(at[1], abs=1)
    top = opened.state()["y"]
    opened.page.mouse.wheel(0, 200)
    wait_for("it has moved down", lambda: opened.state()["y"] > top + 100)
    moved = opened.state()["y"]
    opened.page.mouse.down()
    opened.page.mouse.move(at[0], at[1] + 80, steps=4)
    opened.page.mouse.up()
    wait_for("it has moved up", lambda: opened.state()["y"] < moved)
    opened.press_on_image("Home")
    opened.press_on_image("0")
    assert opened.state()["zoom"] == 1
    assert opened.state()["y"] < 400
    wait_for("both are there", lambda: opened.pixel(2, 2) == opened.pixel(2, 2, 1) == WHITE)


def test_changes_are_visited_outlined_and_described(open_page: OpenPage) -> None:
    opened = open_page()
    moved = change(700, 900, kind="moved", movedBy={"x": 0, "y": 120}, description="")
    region = {"x": 300, "y": 850, "width": 90, "height": 90}
    opened.show(changes=[change(), moved], regions=[region])
    # Both parts are in view once painted.
    expect(opened.page.locator(".change-seen")).to_have_text("2 of 2 parts seen")
    status = opened.page.get_by_role("status")
    opened.choose("Next change")
    expect(opened.page.get_by_role("toolbar")).to_contain_text("2 of 2")
    expect(status).to_contain_text("moved 120 px down")
    assert opened.state()["y"] == pytest.approx(850, abs=300)
    expect(opened.page.locator(".mark-region")).to_have_count(2)
    # A style rule would win over the attribute with the pattern's name.
    expect(opened.page.locator(".mark-region").first).to_have_css("fill", re.compile("url"))
    expect(opened.page.locator(".arrow")).to_have_count(1)
    was, now = opened.page.locator(".mark-moved-from"), opened.page.locator(".mark-moved-to")
    first, second = was.bounding_box(), now.bounding_box()
    assert first
    assert second
    zoom = opened.state()["zoom"]
    assert second["y"] - first["y"] == pytest.approx(120 * zoom, abs=2)
    opened.choose("Highlight changes")
    expect(was).to_be_hidden()
    opened.choose("Next change")
    expect(opened.page.get_by_role("toolbar")).to_contain_text("1 of 2")
    left, top = opened.place(AT[0], AT[1])
    opened.page.get_by_label("Zoom level").select_option("Fit change")
    assert opened.state()["zoom"] >= 4
    assert (left, top) != opened.place(*AT)


def test_no_image_is_shown_below_another_label(open_page: OpenPage) -> None:
    opened = open_page()
    opened.show(changes=[])
    opened.wait_for_pixel(WHITE, 600, 40)
    opened.site.files["/other.png"] = page_image(WIDTH, HEIGHT, "#008000", AT)
    opened.site.held["/other.png"] = Event()
    opened.show(
        id="shot_2", label="Other", before=None, after=source("other"), changes=[], state="new"
    )
    assert opened.pixel(600, 40) != WHITE
    expect(opened.page.get_by_text("Loading the image…")).to_be_visible()
    expect(opened.page.get_by_text("New: there is no earlier image")).to_be_visible()
    opened.site.held["/other.png"].set()
    opened.wait_for_pixel(WHITE, 600, 40)
    expect(opened.page.get_by_text("Loading the image…")).to_be_hidden()


def test_an_image_that_is_gone_says_so_and_is_loaded_again(open_page: OpenPage) -> None:
    opened = open_page()
    image = opened.site.files.pop("/after.png")
    opened.show()
    expect(opened.page.get_by_text("This image is not in the storage any more.")).to_be_visible()
    opened.wait_for_pixel(RED)
    opened.site.files["/after.png"] = image
    opened.choose("Try again")
    opened.wait_for_pixel(GREEN, pane=1)
    opened.site.files["/broken.png"] = b"no image"
    opened.show(id="shot_2", after=source("broken"))
    expect(opened.page.get_by_text("the browser cannot read it")).to_be_visible()


def test_prefetched_images_are_shown_at_once(open_page: OpenPage) -> None:
    opened = open_page()
    opened.show(id="shot_0", before=None, state="new", changes=[])
    opened.wait_for_pixel(WHITE, 600, 40)
    other = page_image(WIDTH, HEIGHT, "#ff0000", AT)
    opened.site.files["/next.png"] = other
    following = screenshot(id="shot_2", before=source("next"))
    opened.evaluate("(viewer, input) => { viewer.prefetch([input]); }", following)
    shown = "(viewer, input) => { viewer.screenshot = input; }"
    opened.page.wait_for_load_state("networkidle")
    opened.evaluate(shown, following)
    opened.wait_for_pixel(RED)
    opened.site.files.clear()
    opened.show(id="shot_3", before=source("after"), after=source("next"))
    assert opened.pixel(80, 2010) == GREEN
    assert opened.pixel(80, 2010, 1) == RED


def test_the_magnifier_says_both_colors_under_the_pointer(open_page: OpenPage) -> None:
    opened = open_page()
    opened.show()
    opened.wait_for_pixel(RED)
    opened.choose("Magnifier")
    opened.page.mouse.move(*opened.place(80, 2010))
    expect(opened.page.get_by_text("#ff0000")).to_be_visible()
    expect(opened.page.get_by_text("#008000")).to_be_visible()
    expect(opened.page.get_by_text(re.compile("x (79|80|81), y (2009|2010|2011)"))).to_be_visible()


def test_the_map_of_a_tall_image_leads_to_its_places(open_page: OpenPage) -> None:
    opened = open_page()
    opened.show()
    minimap = opened.page.get_by_role("slider", name="Position in the image")
    box = minimap.bounding_box()
    assert box
    opened.page.mouse.move(box["x"] + 5, box["y"] + box["height"] - 1)
    opened.page.mouse.down()
    wait_for("the bottom is visible", lambda: opened.state()["y"] > 2300)
    opened.page.mouse.move(box["x"] + 5, box["y"])
    opened.page.mouse.up()
    wait_for("the top is visible", lambda: opened.state()["y"] < 700)
    minimap.focus()
    opened.page.keyboard.press("End")
    wait_for("the bottom is visible", lambda: opened.state()["y"] > 2300)
    expect(minimap).to_have_attribute("aria-valuetext", re.compile(r"^Rows \d+ to 3000 of 3000$"))
    opened.show(id="shot_2", before=source("before", 1200, 300), after=source("after", 1200, 300))
    expect(minimap).to_be_hidden()


def test_it_blinks_unless_less_motion_is_preferred(open_page: OpenPage) -> None:
    still = open_page()
    still.show()
    still.choose("Blink")
    still.wait_for_pixel(GREEN)
    still.press_on_image(" ")
    still.wait_for_pixel(RED)
    blinking = open_page(reduced_motion="no-preference")
    blinking.show()
    blinking.choose("Blink")
    blinking.wait_for_pixel(RED)
    blinking.wait_for_pixel(GREEN)
    blinking.choose("Pause")
    expect(blinking.page.get_by_role("button", name="Start", exact=True)).to_be_visible()


def test_swiping_and_pinching_with_fingers(open_page: OpenPage) -> None:
    opened = open_page(has_touch=True, viewport={"width": 390, "height": 700})
    opened.evaluate(
        "viewer => { window.swipes = []; viewer.addEventListener('viewerswipe',"
        " event => swipes.push(event.detail.direction)); }"
    )
    opened.show(before=source("before", 390, 3000), after=source("after", 390, 3000), changes=[])
    fingers = Touch(opened.page)
    for start, end in ((300, 80), (80, 300)):
        fingers.send("touchStart", (start, 350))
        fingers.send("touchMove", ((start + end) // 2, 352))
        fingers.send("touchMove", (end, 350))
        fingers.send("touchEnd")
    wait_for("two swipes", lambda: opened.page.evaluate("swipes") == [1, -1])
    zoom = opened.state()["zoom"]
    fingers.send("touchStart", (150, 350), (200, 350))
    fingers.send("touchMove", (100, 350), (250, 350))
    fingers.send("touchMove", (50, 350), (300, 350))
    fingers.send("touchEnd")
    wait_for("it is larger", lambda: opened.state()["zoom"] > zoom * 2)
    assert opened.page.evaluate("swipes") == [1, -1]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible_from_320_pixels_to_4k(
    open_page: OpenPage, case: Case, scheme: str
) -> None:
    if not AXE.exists():
        pytest.skip("the JavaScript tools are not installed")
    opened = open_page(color_scheme=scheme)
    opened.page.add_script_tag(path=AXE)
    opened.show()
    opened.choose("Magnifier")
    for width, mode in ((320, "swipe"), (390, "blink"), (820, "overlay"), (3840, "side-by-side")):
        with case(f"{width} pixels"):
            opened.page.set_viewport_size({"width": width, "height": 700})
            opened.evaluate("(viewer, mode) => viewer.setMode(mode)", mode)
            overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert opened.page.evaluate(overflow) == 0
            assert (
                opened.evaluate(
                    "viewer => [...viewer.shadowRoot.querySelectorAll('button, select, [role=slider]')]"
                    ".filter(each => each.checkVisibility()).map(each => each.getBoundingClientRect())"
                    ".filter(box => box.width < 24 || box.height < 24).length"
                )
                == 0
            )
            found = opened.page.evaluate("axe.run().then(found => found.violations.map(v => v.id))")
            assert found == []
