"""Names and folders as the tools themselves write them."""

import pytest

from tests.support.case import Case
from visual_review.client.image_names import NameMapping, NamingError, NamingOptions, map_names
from visual_review.client.image_names.mapping import NEW_IMAGE

LOKI = "examples/react/.loki/reference"
BACKSTOP = "backstop_data/bitmaps_test/20230220-121516"
# File: preset, story, theme and device; an empty theme or device is not known by the name.
NAMES = {
    "button--primary--dark-phone.png": ("visual-review", "button--primary", "dark", "phone"),
    "forms/a%2Fb--dark-phone.png": ("visual-review", "a/b", "dark", "phone"),
    "src/Menu/__snapshots__/Menu.visual.test.tsx-snapshots/Menu-item-dark-webkit-linux.png": (
        "playwright",
        "src/Menu/Menu--Menu-item--webkit-linux",
        "dark",
        "",
    ),
    "login.spec.ts-snapshots/landing-1-Mobile-Chrome-darwin.png": (
        "playwright",
        "login--landing-1--chrome-darwin",
        "",
        "phone",
    ),
    "tests/__screenshots__/firefox/login.spec.ts/landing.png": (
        "playwright",
        "tests/login--landing--firefox",
        "",
        "",
    ),
    "login.spec.ts-snapshots/forms/empty-Mobile-Safari-win32.png": (
        "playwright",
        "login/forms--empty--safari-win32",
        "",
        "phone",
    ),
    "e2e/__screenshots__/chromium/linux/login.spec.ts/landing.png": (
        "playwright",
        "e2e/login--landing--chromium-linux",
        "",
        "",
    ),
    "src/__screenshots__/button.test.tsx/button-primary-1-webkit-darwin.png": (
        "vitest",
        "src/button--button-primary-1--webkit-darwin",
        "",
        "",
    ),
    "src/__screenshots__/button.test.ts/primary-chromium-linux.png": (
        "vitest",
        "src/button--primary--chromium-linux",
        "",
        "",
    ),
    "cypress/screenshots/home.cy.js/header-dark.png": (
        "cypress",
        "cypress/screenshots/home--header",
        "dark",
        "",
    ),
    "matchImageSnapshot.cy.ts/dir/image.snap.png": (
        "cypress",
        "matchImageSnapshot/dir--image",
        "",
        "",
    ),
    "cypress/snapshots/shop/cart.cy.ts/header/menu.snap.png": (
        "cypress",
        "cypress/snapshots/shop/cart/header--menu",
        "",
        "",
    ),
    "cypress/screenshots/shop/cart.cy.ts/Cart -- shows items.png": (
        "cypress",
        "cypress/screenshots/shop/cart--Cart -- shows items",
        "",
        "",
    ),
    "test/__image_snapshots__/basic-test-ts-image-snapshot-1-snap.png": (
        "image-snapshot",
        "test--basic-test-ts-image-snapshot-1",
        "",
        "",
    ),
    "__screenshots__/Components/Button/Primary_iPhone 6.png": (
        "storycap",
        "Components/Button--Primary_iPhone 6",
        "",
        "phone",
    ),
    # Kind, story and the keys of a variant; with --flat, the kind is a part of the name.
    "__screenshots__/Forms/Sign in/Empty_1280x720_dark.png": (
        "storycap",
        "Forms/Sign in--Empty_1280x720",
        "dark",
        "desktop",
    ),
    "__screenshots__/Forms_Sign in_Empty_iPad.png": (
        "storycap",
        "Forms_Sign in_Empty_iPad",
        "",
        "tablet",
    ),
    # BackstopJS leaves out every character but letters and digits of ASCII, "-" and "_".
    f"{BACKSTOP}/backstop_default__0_document_0_phone.png": (
        "backstop",
        "backstop_default_",
        "",
        "phone",
    ),
    "backstop_data/bitmaps_reference/shop_Home_0__1_1280x720.png": (
        "backstop",
        "shop_Home_0__1280x720",
        "",
        "desktop",
    ),
    f"{BACKSTOP}/backstop_default_BackstopJS_Homepage_0_document_1_tablet.png": (
        "backstop",
        "BackstopJS_Homepage",
        "",
        "tablet",
    ),
    f"{BACKSTOP}/shop_Home_2_latest-blog_0_Lg-desktop.png": (
        "backstop",
        "shop_Home_2_latest-blog_Lg",
        "",
        "desktop",
    ),
    f"{LOKI}/chrome_laptop_Button_with_text.png": (
        "loki",
        "Button_with_text--chrome",
        "",
        "desktop",
    ),
    ".loki/current/ios_iphone7_Forms_Sign_in_Empty.png": (
        "loki",
        "Forms_Sign_in_Empty--ios",
        "",
        "phone",
    ),
    f"{LOKI}/chrome_iphone7_dark_Positions_Fixed.png": (
        "loki",
        "Positions_Fixed--chrome",
        "dark",
        "phone",
    ),
    f"{LOKI}/chrome_a4_Dark_mode_toggle.png": ("loki", "a4_Dark_mode_toggle--chrome", "", ""),
    "home.png": ("plain", "home", "", ""),
    "home/dark.png": ("plain", "home", "dark", ""),
    "button--primary/light-tablet.png": ("plain", "button--primary", "light", "tablet"),
    "Dark/mobile/home.jpeg": ("plain", "home", "dark", "phone"),
    "button--primary__[w375px].png": ("plain", "button--primary__[w375px]", "", "phone"),
    "button--primary__[w1024px].png": ("plain", "button--primary__[w1024px]", "", "desktop"),
    "1280x720/home.webp": ("plain", "1280x720--home", "", "desktop"),
    "card-pixel-5.png": ("plain", "card-pixel-5", "", "phone"),
    "from-dark-to-light-toggle.png": ("plain", "from-dark-to-light-toggle", "", ""),
    "dark.png": ("plain", "dark", "", ""),
    "dark/dark.png": ("plain", "dark", "dark", ""),
}


def read(*files: str, pattern: str = "", location: str = "/repo") -> NameMapping:
    return map_names(files, NamingOptions(pattern), location)


def stories(mapping: NameMapping) -> dict[str, str]:
    assert mapping.problems == {}
    return {image.file: image.story_id for image in mapping.images}


def test_names_of_tools_and_people_are_read(case: Case) -> None:
    for file, (preset, story, theme, device) in NAMES.items():
        with case(file):
            mapping = read(file)
            (image,) = mapping.images
            assert (mapping.preset, image.story_id) == (preset, story)
            assert (image.theme, image.device) == (theme or "light", device or "desktop")
            known = {"theme": theme, "device": device}
            assert image.assumed == tuple(name for name, value in known.items() if not value)


def test_options_count_only_for_what_a_name_does_not_say() -> None:
    mapping = map_names(
        ["a.png", "b-light-phone.png"], NamingOptions("", "dark", "tablet"), "/repo"
    )
    assert [(image.theme, image.device) for image in mapping.images] == [
        ("dark", "tablet"),
        ("light", "phone"),
    ]


def test_browser_and_platform_are_in_the_title() -> None:
    (image,) = read("login.spec.ts-snapshots/home-chromium-linux.png").images
    assert image.title == "login/home (chromium, linux)"


def test_the_folder_above_names_the_tool() -> None:
    mapping = read("chrome_laptop_Button.png", location="/repo/.loki/current")
    assert mapping.preset == "loki"
    mapping = read("home-linux.png", location="/repo/e2e/login.spec.ts-snapshots")
    assert stories(mapping) == {"home-linux.png": "home--linux"}


def test_presets_that_would_read_a_name_differently_need_a_choice() -> None:
    file = ".loki/current/bitmaps_test/backstop_default_A_0_document_0_phone.png"
    with pytest.raises(NamingError, match=r"those of loki or of backstop.*--name-pattern") as found:
        read(file)
    assert file in str(found.value)
    assert stories(read(file, pattern="backstop")) == {file: "A"}


def test_names_of_which_only_a_part_is_a_tools_need_a_choice() -> None:
    files = (f"{LOKI}/chrome_laptop_A.png", "docs/logo.png")
    with pytest.raises(NamingError, match=r"1 of 2 names are those of loki.*docs/logo.png"):
        read(*files)
    mapping = read(*files, pattern="loki")
    assert stories(mapping) == {files[0]: "A--chrome"}
    assert mapping.ignored == {"docs/logo.png": "the name does not match loki"}
    assert len(read(*files, pattern="plain").images) == 2


def test_playwrights_pattern_ignores_images_of_the_documentation() -> None:
    file = "e2e/login.spec.ts-snapshots/home-chromium-linux.png"
    assert len(read(file, "docs/logo.png").images) == 2
    mapping = read(file, "docs/logo.png", pattern="Playwright")
    assert list(stories(mapping)) == [file]
    assert list(mapping.ignored) == ["docs/logo.png"]


def test_vitests_pattern_ignores_screenshots_of_failed_tests() -> None:
    # Their names look like names of page.screenshot(), so only the user can tell them apart.
    folder = "src/__screenshots__/button.test.ts"
    file, failed = f"{folder}/primary-chromium-linux.png", f"{folder}/button-is-blue-1.png"
    assert len(read(file, failed).images) == 2
    mapping = read(file, failed, pattern="vitest")
    assert (list(stories(mapping)), list(mapping.ignored)) == ([file], [failed])


def test_a_misspelled_name_among_our_own_is_a_problem() -> None:
    mapping = read("a--light-phone.png", "a--lihgt-desktop.png")
    assert mapping.problems == {"a--lihgt-desktop.png": "the name does not match visual-review"}


def test_two_files_of_one_variant_are_a_problem_that_names_both(case: Case) -> None:
    for one, two in (
        ("a/home.png", "a/home.webp"),
        ("a/b.png", "a--b.png"),
        ("home.png", "home-light.png"),
        (
            "backstop_data/bitmaps_reference/backstop_default_A_0_document_0_phone.png",
            f"{BACKSTOP}/backstop_default_A_0_document_0_phone.png",
        ),
    ):
        with case(one):
            mapping = read(one, two)
            first, second = sorted((one, two))
            assert mapping.problems == {second: f"has the same story and variant as {first}"}


def test_what_tools_write_next_to_screenshots_is_ignored_with_its_reason(case: Case) -> None:
    for file, other, reason in (
        ("__diff_output__/a.diff.png", "a.snap.png", "an image of differences"),
        (".loki/difference/chrome_a.png", ".loki/current/chrome_a.png", "an image of differences"),
        ("a.cy.js/b (failed).png", "a.cy.js/b.png", "the screenshot of a failed test"),
        ("a.cy.js/b.png", "a.cy.js/b (attempt 2).png", "a later attempt of the same test"),
        ("failed_diff_x_A_0_document_0_phone.png", "a.png", "an image of differences"),
    ):
        with case(file):
            mapping = read(file, other)
            assert [image.file for image in mapping.images] == [other]
            assert mapping.ignored[file].startswith(reason)


def test_an_image_of_a_failed_test_is_never_a_story_of_its_own(case: Case) -> None:
    for new, old in (
        ("a-actual.png", "a-diff.png"),
        ("a-actual.png", "a-expected.png"),
        ("test-results/a/b-actual.png", "c.png"),
        (".loki/current/chrome_laptop_A.png", ".loki/reference/chrome_laptop_A.png"),
        ("cypress/snapshots/actual/a.png", "cypress/snapshots/base/a.png"),
    ):
        with case(new):
            mapping = read(new, old)
            assert mapping.ignored[new] == NEW_IMAGE
    mapping = read("a-actual.png", "toggle-diff.png")
    assert list(stories(mapping).values()) == ["a-actual", "toggle-diff"]


def test_names_the_server_would_not_accept_are_problems(case: Case) -> None:
    for file in ("a\nb.png", "a\udcff.png", f"{'a' * 200}/{'b' * 200}.png"):
        with case(ascii(file)):
            mapping = read(file)
            assert list(mapping.problems) == [file]
