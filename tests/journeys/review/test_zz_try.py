from tests.support.browser import OpenVisitor
from tests.support.images import ImageWorld, page as image
from tests.support.personas import Personas
from tests.support.review_page import ReviewPage

OUT = "/tmp/brief16/shots_review"


def test_try(open_visitor: OpenVisitor, personas: Personas) -> None:
    world = ImageWorld(personas.alice, "acme/try-review")
    before, after = image(600, 300), image(600, 300, "green", at=(400, 180))
    cards = [f"components-card--{name}" for name in ("plain", "with-image", "disabled")]
    first = world.show(
        {**dict.fromkeys(cards, before), "components-menu--open": before, "gone--x": before}
    )
    world.act("approve_build", buildId=first.id)
    build = world.show(
        {
            **dict.fromkeys(cards, after),
            "components-menu--open": image(600, 330, "red"),
            "components-tabs--plain": before,
        }
    )
    for scheme, width, height in (
        ("light", 1440, 900),
        ("dark", 1024, 768),
        ("dark", 390, 844),
        ("light", 360, 640),
    ):
        visitor = open_visitor(
            personas.bob, color_scheme=scheme, viewport={"width": width, "height": height}
        )
        page = visitor.page
        page.set_default_timeout(15000)
        page.on("pageerror", lambda e: print("PAGEERROR", e))
        page.on(
            "response", lambda r: print("RESP", r.status, r.url[:120]) if r.status >= 400 else None
        )
        review = ReviewPage(visitor)
        review.open(f"/builds/{build.id}")
        shot = lambda name: (
            page.wait_for_timeout(700),
            page.screenshot(path=f"{OUT}/{scheme}-{width}-{name}.png"),
        )
        shot("list")
        print(
            "overflow",
            width,
            visitor.horizontal_overflow(),
            page.evaluate("document.documentElement.scrollHeight - innerHeight"),
        )
        if width < 900:
            page.locator(".navigator [data-screenshot-id]").first.click()
            shot("viewer")
        if width == 1440:
            page.get_by_role("button", name="Got it").click()
            page.keyboard.press("?")
            shot("help")
            page.keyboard.press("Escape")
            page.keyboard.press("a")
            page.keyboard.press("r")
            shot("reject")
            page.keyboard.type("Too dark")
            page.keyboard.press("Control+Enter")
            page.locator(".decision-bar__more summary").click()
            shot("more")
            page.keyboard.press("Escape")
            page.get_by_role("button", name="Review log").click()
            shot("log")
            page.get_by_role("button", name="About").click()
            shot("about")
            page.keyboard.press("Escape")
            page.locator(".stage__summary").click()
            shot("facts")
            page.locator(".stage__summary").click()
            page.keyboard.press("v")
            shot("selected")
            page.keyboard.press("Escape")
            page.keyboard.press("Shift+B")
            shot("approve")
        print(width, visitor.console_errors)
    page.goto(page.url)
