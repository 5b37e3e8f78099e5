"""Which global stands for a theme."""

from tests.support.case import Case
from visual_review.client.capture.themes import DeclaredGlobals, find_theme_globals

TOOLBAR = {"toolbar": {"items": ["system", {"value": "Light"}, {"value": "Dark", "title": "x"}]}}


DARK_VALUES = [
    (DeclaredGlobals(), {}),
    (DeclaredGlobals({"locale": "en"}, {"locale": {}}), {}),
    (DeclaredGlobals({"theme": "system"}, {"theme": TOOLBAR}), {"theme": "Dark"}),
    (DeclaredGlobals({}, {"theme": TOOLBAR}), {"theme": "Dark"}),
    (DeclaredGlobals({"theme": ""}, {}, ("light", "dark")), {"theme": "dark"}),
    (DeclaredGlobals({"theme": ""}, {}, ("sunrise", "night")), {}),
    (DeclaredGlobals({"theme": "light"}, {"theme": {}}), {"theme": "dark"}),
    (DeclaredGlobals({"theme": "LIGHT"}, {}), {"theme": "Dark"}),
    (DeclaredGlobals({"theme": "corporate"}, {}), {}),
    (DeclaredGlobals({"theme": 3}, {"theme": {"toolbar": {"items": "no list"}}}), {}),
]


def test_dark_is_set_only_where_the_project_offers_it(case: Case) -> None:
    for declared, dark in DARK_VALUES:
        with case(declared):
            assert find_theme_globals(declared, "theme", "dark", {}) == dark


def test_a_configured_value_is_used_as_it_is() -> None:
    declared = DeclaredGlobals({"skin": "day"})
    assert find_theme_globals(declared, "skin", "dark", {"dark": "night"}) == {"skin": "night"}


def test_a_configured_value_is_not_used_for_an_undeclared_global() -> None:
    assert find_theme_globals(DeclaredGlobals(), "skin", "dark", {"dark": "night"}) == {}
