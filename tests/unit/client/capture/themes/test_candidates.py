"""Ways of switching the theme to try, from a preview's declarations."""

from tests.support.case import Case
from visual_review.client.capture.themes import (
    DeclaredGlobals,
    PageFacts,
    ThemeSetting,
    find_global_setting,
    list_candidates,
    read_facts,
)


def toolbar(*items: object) -> dict[str, object]:
    return {"toolbar": {"items": list(items)}}


def by_global(name: str, values: tuple[object, object]) -> tuple[str, str, object, object]:
    return ("global", name, *values)


GLOBALS = [
    (DeclaredGlobals(), []),
    (DeclaredGlobals({"locale": "en"}, {"locale": toolbar("en", "de")}), []),
    # The values of a toolbar, in any spelling, the plainest of them first.
    (
        DeclaredGlobals(
            {"theme": "system"}, {"theme": toolbar("system", {"value": "Light"}, "Dark")}
        ),
        [by_global("theme", ("Light", "Dark"))],
    ),
    (
        DeclaredGlobals({}, {"look": toolbar("dark-high-contrast", "day", "dark", "light-blue")}),
        [by_global("look", ("day", "dark"))],
    ),
    # A title counts where the value says nothing.
    (
        DeclaredGlobals(
            {}, {"skin": toolbar({"value": "a", "title": "Day"}, {"value": "b", "title": "Night"})}
        ),
        [by_global("skin", ("a", "b"))],
    ),
    (
        DeclaredGlobals(
            {},
            {"mode": toolbar({"value": True, "title": "Dark"}, {"value": False, "title": "Light"})},
        ),
        [by_global("mode", (False, True))],
    ),
    # The Storybook's initial value is light if no value is called light.
    (
        DeclaredGlobals(
            {"theme": "corporate"}, {"theme": toolbar("sepia", "corporate", "corporate-dark")}
        ),
        [by_global("theme", ("corporate", "corporate-dark"))],
    ),
    (DeclaredGlobals({}, {"theme": toolbar("light", "sepia")}), []),
    (DeclaredGlobals({}, {"theme": toolbar("light-and-dark")}), []),
    (DeclaredGlobals({"theme": 3}, {"theme": {"toolbar": {"items": "no list"}}}), []),
    # Booleans, and globals whose initial value is one of the two themes.
    (DeclaredGlobals({"darkMode": False}), [by_global("darkMode", (False, True))]),
    (DeclaredGlobals({}, {"isDark": {}}), [by_global("isDark", (False, True))]),
    (DeclaredGlobals({"lightMode": True}), [by_global("lightMode", (True, False))]),
    (DeclaredGlobals({"theme": "LIGHT"}), [by_global("theme", ("Light", "Dark"))]),
    (DeclaredGlobals({"theme": "corporate"}), []),
    # @storybook/addon-themes registers names only.
    (
        DeclaredGlobals({"theme": ""}, {}, ("light", "dark")),
        [by_global("theme", ("light", "dark"))],
    ),
    (
        DeclaredGlobals({"theme": ""}, {}, ("Dusk", "Brand", "Brand Dark"), "Brand"),
        [by_global("theme", ("Brand", "Brand Dark"))],
    ),
    (DeclaredGlobals({"theme": ""}, {}, ("sunrise", "dusk")), []),
    # Elsewhere than in a theme, a choice with other words is something else.
    (DeclaredGlobals({}, {"size": toolbar("small", "dark-green")}), []),
    (
        DeclaredGlobals({}, {"theme": toolbar("green", "dark-green")}),
        [by_global("theme", ("green", "dark-green"))],
    ),
    # Storybook's own globals are no themes, and names with "theme" come first.
    (DeclaredGlobals({"backgrounds": None}, {"backgrounds": toolbar("light", "dark")}), []),
    (
        DeclaredGlobals(
            {}, {"a": toolbar("light", "dark"), "colorScheme": toolbar("light", "dark")}
        ),
        [by_global("colorScheme", ("light", "dark")), by_global("a", ("light", "dark"))],
    ),
]


def test_globals_are_recognized_by_their_choices(case: Case) -> None:
    for declared, expected in GLOBALS:
        with case(declared):
            found = list_candidates(PageFacts(declared))
            assert [(each.kind, each.name, each.light, each.dark) for each in found] == expected
            # True and 1 are equal, but not the same choice.
            assert [type(each.dark) for each in found] == [type(each[3]) for each in expected]


STYLES = [
    ({".dark": 60}, [("class", "html", "", None, "dark")]),
    ({"body.dark-mode": 3}, [("class", "body", "", None, "dark-mode")]),
    (
        {".theme-dark": 2, ".theme-light": 1},
        [("class", "html", "", "theme-light", "theme-dark")],
    ),
    (
        {'[data-bs-theme="dark"]': 9, "[data-bs-theme=light]": 3},
        [("attribute", "html", "data-bs-theme", "light", "dark")],
    ),
    (
        {":root[data-theme=night]": 1},
        [("attribute", "html", "data-theme", None, "night")],
    ),
    (
        {".dark": 1, '[data-theme="dark"]': 5},
        [("attribute", "html", "data-theme", None, "dark"), ("class", "html", "", None, "dark")],
    ),
    # Variants of components, and other things called dark.
    ({".bg-dark": 9, ".btn-outline-dark": 9, ".table-dark": 3, ".darken": 2, ".dark-blue": 1}, []),
    ({'[type="dark"]': 3, '[data-variant="dark"]': 3, "[data-theme=dark-blue]": 1}, []),
    ({".light": 5, ".dark.": 2, "not a part": 1}, []),
]


def test_style_rules_name_classes_and_attributes_of_a_theme(case: Case) -> None:
    for parts, expected in STYLES:
        with case(parts):
            found = list_candidates(PageFacts(selector_parts=parts))
            listed = [(each.kind, each.target, each.name, each.light, each.dark) for each in found]
            assert listed == expected


def test_the_dark_mode_add_on_comes_first_with_its_classes_and_target() -> None:
    facts = PageFacts(
        DeclaredGlobals({"theme": "light"}),
        dark_mode_parameters={
            "stylePreview": True,
            "darkClass": ["night", "contrast"],
            "classTarget": "body",
        },
        selector_parts={".dark": 1},
    )
    assert list_candidates(facts) == [
        ThemeSetting("dark-mode-addon", "", "light", "night contrast", "body"),
        ThemeSetting("global", "theme", "light", "dark"),
        ThemeSetting("class", "", None, "dark"),
    ]
    # Without this option, the add-on sets no class in the preview.
    plain = PageFacts(has_dark_mode_addon=True, dark_mode_parameters={"darkClass": "night"})
    assert list_candidates(plain) == [ThemeSetting("dark-mode-addon", target="body")]


def test_configured_values_are_used_as_they_are_and_completed_by_declared_ones() -> None:
    declared = DeclaredGlobals({"skin": "day"}, {"skin": toolbar("day", "night")})
    assert find_global_setting(declared, "skin", {}) == ThemeSetting(
        "global", "skin", "day", "night"
    )
    chosen = find_global_setting(declared, "skin", {"dark": "black"})
    assert chosen == ThemeSetting("global", "skin", "day", "black")
    assert find_global_setting(DeclaredGlobals(), "skin", {}) is None
    # An undeclared global is set as well: a decorator may read the global all the same.
    unknown = find_global_setting(DeclaredGlobals(), "skin", {"dark": "black"})
    assert unknown == ThemeSetting("global", "skin", None, "black")


def test_what_a_page_reports_is_read_whatever_its_types() -> None:
    assert list_candidates(read_facts("no object")) == []
    odd = {"values": [], "types": 3, "registered": {"themes": "x"}, "parts": {".dark": "many"}}
    assert list_candidates(read_facts({**odd, "darkMode": 7, "darkModeAddon": 1})) == []
    reported = {"values": {"theme": ""}, "registered": {"themes": ["light", "dark", 4]}}
    assert list_candidates(read_facts(reported)) == [
        ThemeSetting("global", "theme", "light", "dark")
    ]
