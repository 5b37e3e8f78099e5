"""The commands for publishing: a person chooses a tab and copies each, in a real browser."""

import re

from playwright.sync_api import expect

from tests.support.browser import NARROWEST, OpenVisitor, Visitor
from tests.support.personas import Personas
from visual_review.repositories.models import Repository

CLIPBOARD = ["clipboard-read", "clipboard-write"]
TABS = {
    "GitHub Actions": ["storybook-github-secret", "storybook-github-file"],
    "GitLab CI": ["storybook-gitlab-secret", "storybook-gitlab-file"],
    "Other CI or your machine": ["storybook-install", "storybook-publish"],
}
PLAYWRIGHT = ["playwright-install", "playwright-publish"]


def connect(visitor: Visitor, name: str) -> str:
    """Connect a repository with the form and return the repository's token."""
    visitor.open("/repositories")
    visitor.page.get_by_label("Full name").fill(name)
    visitor.page.get_by_role("button", name="Connect", exact=True).click()
    visitor.expect_heading(f"Project token of {name}")
    return visitor.page.locator("#token").inner_text()


def copy_each(visitor: Visitor, tab: str) -> dict[str, str]:
    """Choose the tab, press every visible button, and return each copied text."""
    visitor.page.get_by_text(tab, exact=True).filter(visible=True).click()
    copied = {}
    for button in visitor.page.locator(".switcher button[data-copy]:visible").all():
        expect(button).to_have_accessible_name(re.compile("^Copy the "))
        button.click()
        expect(button).to_contain_text("Copied")
        source = str(button.get_attribute("data-copy"))
        copied[source] = visitor.page.evaluate("navigator.clipboard.readText()")
        assert copied[source] == visitor.page.locator(f"#{source}").text_content()
    return copied


def test_each_tab_shows_its_own_commands_and_copies_them_whole(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    visitor = open_visitor(personas.alice, permissions=CLIPBOARD)
    token = connect(visitor, "acme/new")
    copied = {tab: copy_each(visitor, tab) for tab in TABS}
    assert {tab: list(found) for tab, found in copied.items()} == TABS
    publish = copied["Other CI or your machine"]["storybook-publish"].splitlines()
    assert publish[:2] == [
        f"export VISUAL_REVIEW_URL={visitor.address}",
        f"export UI_REVIEW_TOKEN={token}",
    ]
    copy_each(visitor, "Playwright")
    assert list(copy_each(visitor, "Other CI or your machine")) == PLAYWRIGHT
    visitor.page.get_by_role("button", name="Copy the token").click()
    expect(visitor.page.locator(".secret")).to_contain_text("Copied")
    assert visitor.page.evaluate("navigator.clipboard.readText()") == token
    assert visitor.console_errors == []


def test_the_tabs_work_with_the_keyboard_alone(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    visitor = open_visitor(personas.alice)
    connect(visitor, "acme/new")
    visitor.page.get_by_role("radio", name="Other CI or your machine", checked=True).focus()
    visitor.page.keyboard.press("ArrowLeft")
    expect(visitor.page.get_by_role("radio", name="GitLab CI")).to_be_checked()
    expect(visitor.page.locator("#storybook-gitlab-file")).to_be_visible()
    expect(visitor.page.locator("#storybook-publish")).to_be_hidden()


def test_no_page_with_commands_scrolls_sideways_on_the_narrowest_phone(
    open_visitor: OpenVisitor, personas: Personas
) -> None:
    visitor = open_visitor(personas.alice, viewport={"width": NARROWEST, "height": 640})
    connect(visitor, "acme/" + "long-name-" * 8)
    assert visitor.horizontal_overflow() <= 0
    repository = Repository.objects.get(full_name__startswith="acme/long")
    for path in (f"/repositories/{repository.id}", "/client/"):
        visitor.open(path)
        assert visitor.horizontal_overflow() <= 0, path
