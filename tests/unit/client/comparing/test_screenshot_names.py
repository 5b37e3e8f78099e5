"""Names of screenshots, as tools and people write them, say which story and variant they show."""

from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.client.comparing.screenshot_names import parse_name

PLAYWRIGHT = "src/Menu/__snapshots__/Menu.visual.test.tsx-snapshots"
NAMES = {
    f"{PLAYWRIGHT}/Menu-smoke-item-dark-chromium-linux.png": (
        "src/Menu/Menu",
        "src/Menu/Menu/Menu-smoke-item",
        "dark",
        "chromium linux",
    ),
    f"{PLAYWRIGHT}/Col-Static---xxl-light-webkit-linux.png": (
        "src/Menu/Menu",
        "src/Menu/Menu/Col-Static",
        "light",
        "xxl webkit linux",
    ),
    "login.spec.ts-snapshots/landing-1-Mobile-Chrome-darwin.png": (
        "login",
        "login/landing-1",
        "",
        "mobile chrome darwin",
    ),
    "button--primary--dark-phone.png": ("button", "button--primary", "dark", "phone"),
    "button--primary/light-tablet.png": ("button", "button--primary", "light", "tablet"),
    "out/button--primary--dark-phone.png": ("out/button", "out/button--primary", "dark", "phone"),
    "dark/1280x720/home.png": ("home", "home", "dark", "1280x720"),
    "cypress/home.cy.js/header-light-hover.snap.png": (
        "cypress/home.cy.js",
        "cypress/home.cy.js/header-hover",
        "light",
        "",
    ),
    "backstop_home_0_document_0_tablet.png": (
        "backstop",
        "backstop_home_0_document_0",
        "",
        "tablet",
    ),
    "card-pixel-5.webp": ("card", "card", "", "pixel 5"),
    "dark-mode-light-desktop.png": ("dark", "dark-mode", "light", "desktop"),
    "from-dark-to-light-toggle.png": ("from", "from-dark-to-light-toggle", "", ""),
    "menu-item-s.png": ("menu", "menu-item-s", "", ""),
    "light.png": ("light", "light", "", ""),
    "x": ("x", "x", "", ""),
}


def test_names_of_tools_and_people_are_read(case: Case) -> None:
    for name, expected in NAMES.items():
        with case(name):
            found = parse_name(name)
            assert (found.family, found.story, found.theme, found.device) == expected


@given(st.text(min_size=1))
def test_every_name_has_a_family_and_a_story(name: str) -> None:
    found = parse_name(name)
    assert found.story
    assert found.theme in {"", "light", "dark"}
