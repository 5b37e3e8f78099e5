"""The page written by ``visual-review diff --output``, opened from disk."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from typer.testing import CliRunner

from tests.support.browser import NARROWEST, wait_for
from tests.support.case import Case
from tests.support.images import draw
from visual_review.cli.main import make_app

HOSTILE = '<img src=x onerror="document.title=1">\n&#?%41.png'
LOADED = "images => images.length && images.every(each => each.complete && each.naturalWidth)"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("compared")
    before, after = folder / "before", folder / "after"
    for name in ("a.png", "deep/er/b.png", HOSTILE.replace("/", "")):
        draw(before / name, size=(300, 200))
        draw(after / name, (5, 5), (250, 150), size=(320, 180))
    draw(before / "wide.png", size=(3000, 200))
    draw(after / "wide.png", (9, 9), size=(3000, 200))
    draw(before / "gone.png")
    draw(after / "fresh.png")
    draw(before / "same.png")
    draw(after / "same.png")
    (after / "z-broken.png").write_bytes(b"")
    draw(before / "z-broken.png")
    arguments = ["diff", str(before), str(after), "--output", str(folder / "report")]
    assert CliRunner().invoke(make_app(["diff"]), arguments).exit_code == 2
    # The folder is moved as a whole, like an artifact.
    return (folder / "report").rename(folder / "moved report #1")


@pytest.fixture
def opened(browser: Browser, report: Path) -> Iterator[Page]:
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:
        page = context.new_page()
        problems: list[str] = []
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("requestfailed", lambda request: problems.append(request.url))
        page.goto((report / "index.html").as_uri())
        yield page
        assert problems == []


def wait_for_images(page: Page) -> None:
    wait_for("images are loaded", lambda: page.locator("#view img").evaluate_all(LOADED))


def test_images_are_listed_and_filtered(opened: Page) -> None:
    items = opened.locator("#list a:visible")
    expect(items).to_have_count(7)
    # Failed comparisons come first.
    expect(opened.locator("#name")).to_have_text("z-broken.png")
    opened.get_by_label("Filter by name").fill("deep B")
    expect(items).to_have_count(1)
    expect(opened.locator("#name")).to_have_text("deep/er/b.png")
    opened.get_by_label("Filter by name").fill("")
    opened.get_by_label("unchanged").check()
    opened.get_by_label("changed", exact=False).first.uncheck()
    expect(opened.get_by_role("status").first).to_contain_text("of 8 images")
    opened.get_by_label("Filter by name").fill("nothing like it")
    expect(opened.get_by_text("No image matches the filter.")).to_be_visible()


def test_the_list_is_sorted_by_severity_groups_or_name(opened: Page, case: Case) -> None:
    alike = sorted((HOSTILE.replace("/", ""), "a.png", "deep/er/b.png"))
    expected = {
        "severity": ["z-broken.png", *alike, "wide.png", "fresh.png", "gone.png"],
        "group": ["z-broken.png", "wide.png", *alike, "fresh.png", "gone.png"],
        "name": sorted([*alike, "fresh.png", "gone.png", "wide.png", "z-broken.png"]),
    }
    for order, names in expected.items():
        with case(order):
            opened.get_by_label("Sort by").select_option(order)
            assert opened.evaluate("listed.map(entry => entry.name)") == names
            assert opened.locator("#list .group").count() == (order != "name")


def test_images_that_changed_alike_are_a_group_that_opens_and_closes(opened: Page) -> None:
    heading = opened.get_by_role("button", name="3 alike")
    opened.locator("#list a").filter(has_text="b.png").click()
    expect(opened.locator("#relation")).to_contain_text("One of 3 that changed alike: ")
    opened.keyboard.press("g")
    expect(heading).to_have_attribute("aria-expanded", "false")
    expect(opened.locator("#list a:visible")).to_have_count(4)
    # The page goes on with the changes outside of the group.
    expect(opened.locator("#name")).to_have_text("wide.png")
    opened.keyboard.press("k")
    expect(opened.locator("#name")).to_have_text("z-broken.png")
    heading.click()
    expect(opened.locator("#list a:visible")).to_have_count(7)


def test_changes_are_listed_and_outlined(opened: Page) -> None:
    opened.locator("#list a").filter(has_text="wide.png").click()
    changes = opened.get_by_role("list", name="Changes").get_by_role("button")
    expect(changes).to_have_count(1)
    expect(changes).to_contain_text("at 9,9")
    expect(opened.locator("#summary")).not_to_be_empty()
    outlines = opened.locator("#view .outline")
    expect(outlines).to_have_count(3)
    opened.keyboard.press("b")
    expect(outlines.first).to_be_hidden()
    # A click on a listed change shows the change's outline, on every image.
    changes.click()
    expect(opened.locator("#view .outline.chosen:visible")).to_have_count(3)
    for key, shown in {"2": 1, "4": 1, "5": 0}.items():
        opened.keyboard.press(key)
        expect(outlines).to_have_count(shown)


def test_an_outline_is_where_the_change_is(opened: Page) -> None:
    opened.locator("#list a").filter(has_text="wide.png").click()
    opened.keyboard.press("z")
    wait_for_images(opened)
    image, outline = (
        opened.locator(f"#view figure:last-child {part}").bounding_box()
        for part in ("img", ".outline")
    )
    assert image is not None
    assert outline is not None
    left = outline["x"] - image["x"]
    # Layout rounds to parts of a pixel.
    assert 0 <= left <= 9.1
    assert left + outline["width"] >= 9.9


def test_kinds_of_changes_can_be_left_out(opened: Page) -> None:
    kinds = {kind for kind in opened.evaluate("report.images.map(image => image.kind)") if kind}
    boxes = opened.locator("#kinds input")
    assert boxes.count() == len(kinds)
    for box in boxes.all():
        box.evaluate("box => box.click()")
    expect(opened.locator("#list a:visible .state.changed")).to_have_count(0)
    expect(opened.locator("#list a:visible")).to_have_count(3)


def test_every_view_shows_its_images(opened: Page, case: Case) -> None:
    views = {"1": 3, "2": 2, "3": 2, "4": 1, "5": 1}
    for name in ("a.png", HOSTILE.replace("/", "")):
        opened.locator("#list a").filter(has_text=name).click()
        for key, images in views.items():
            with case(f"{name}: view {key}"):
                opened.keyboard.press(key)
                expect(opened.locator("#view img")).to_have_count(images)
                wait_for_images(opened)


def test_overlay_and_swipe_follow_their_slider(opened: Page) -> None:
    opened.locator("#list a").filter(has_text="a.png").first.click()
    opened.keyboard.press("2")
    opened.get_by_label("Opacity of after").fill("20")
    expect(opened.get_by_alt_text("After")).to_have_css("opacity", "0.2")
    opened.keyboard.press("Escape")
    opened.locator("#zoom").focus()
    opened.keyboard.press("3")
    wait_for_images(opened)
    box = opened.locator(".area").bounding_box()
    assert box is not None
    assert (round(box["width"]), round(box["height"])) == (320, 200)
    opened.mouse.move(box["x"] + 10, box["y"] + 10)
    opened.mouse.down()
    opened.mouse.move(box["x"] + box["width"] / 4, box["y"] + 10)
    opened.mouse.up()
    clip = opened.get_by_alt_text("After").evaluate("image => image.style.clipPath")
    assert clip == "inset(0px 0px 0px 25%)"


def test_keys_go_through_the_images(opened: Page) -> None:
    opened.get_by_label("Sort by").select_option("name")
    opened.locator("#list a").first.click()
    names = [opened.locator("#name").inner_text()]
    for key in ("j", "ArrowRight", "j", "k", "ArrowLeft", "k"):
        opened.keyboard.press(key)
        names.append(opened.locator("#name").inner_text())
    assert names == [*names[:4], names[2], names[1], names[0]]
    assert len(set(names[:4])) == 4
    opened.keyboard.press("?")
    expect(opened.get_by_role("dialog")).to_be_visible()
    opened.keyboard.press("j")
    opened.get_by_role("button", name="Close").click()
    expect(opened.get_by_role("dialog")).to_be_hidden()
    assert opened.locator("#name").inner_text() == names[0]


def test_new_removed_and_failed_images_are_explained(opened: Page) -> None:
    opened.locator("#list a").filter(has_text="fresh.png").click()
    expect(opened.get_by_alt_text("After")).to_be_visible()
    opened.locator("#list a").filter(has_text="gone.png").click()
    expect(opened.get_by_alt_text("Before")).to_be_visible()
    opened.locator("#list a").filter(has_text="z-broken.png").click()
    expect(opened.get_by_text("after: not a PNG but an empty file")).to_be_visible()


def test_the_page_fits_every_window(opened: Page, case: Case) -> None:
    opened.locator("#list a").filter(has_text="wide.png").click()
    for width in (1440, NARROWEST):
        for scheme in ("light", "dark"):
            opened.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            opened.set_viewport_size({"width": width, "height": 800})
            for key in "12345":
                with case(f"{width}, {scheme}, view {key}"):
                    opened.keyboard.press(key)
                    overflow = "document.documentElement.scrollWidth - innerWidth"
                    assert opened.evaluate(overflow) <= 0
                    wait_for_images(opened)
                    within = "view => view.scrollWidth <= view.parentElement.clientWidth"
                    assert opened.locator("#view").evaluate(within)
                    shown = opened.locator("#view img").first.bounding_box()
                    assert shown is not None
                    assert shown["x"] + shown["width"] <= width


def test_images_fit_before_they_have_loaded(opened: Page, case: Case) -> None:
    opened.locator("#list a").filter(has_text="wide.png").click()
    for mode in ("overlay", "swipe"):
        with case(mode):
            at_once = f"setMode('{mode}'), [...byId('view').querySelectorAll('img')]"
            widths = opened.evaluate(f"({at_once}.map(image => image.style.width))")
            assert widths == ["100%", "100%"]


def test_without_scripts_it_is_a_list_of_links(browser: Browser, report: Path) -> None:
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto((report / "index.html").as_uri())
        assert page.locator("#list li").count() == 7
        expect(page.locator("#list li").nth(1)).to_contain_text("a.png: changed ")
        page.get_by_role("link", name="difference").first.click()
        assert page.url.endswith(".png")
