import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.case import Case
from visual_review.client.image_names import NamingError, NamingOptions, map_names

PATTERNS = {
    ("{story}-{theme}-{browser}-{platform}.png", "a-b-dark-chromium-linux.png"): (
        "a-b--chromium-linux",
        "dark",
        "desktop",
    ),
    ("{theme}/{device}/{story}", "Light/mobile/forms/input.png"): (
        "forms--input",
        "light",
        "phone",
    ),
    ("{any}/{story}", "2026-11-23/home.png"): ("home", "light", "desktop"),
    ("{story}@{device}", "shop/home@1280x720.png"): ("shop--home", "light", "desktop"),
    ("{story}@{device}", "home@390x844.png"): ("home", "light", "phone"),
    ("{browser}_{story}", "x.spec.ts-snapshots/edge_a_b.png"): ("x--a_b--edge", "light", "desktop"),
}


def test_patterns_read_what_they_name(case: Case) -> None:
    for (pattern, file), expected in PATTERNS.items():
        with case(f"{pattern} {file}"):
            mapping = map_names([file], NamingOptions(pattern))
            (image,) = mapping.images
            assert (image.story_id, image.theme, image.device) == expected


def test_a_name_without_a_match_is_ignored_with_its_reason() -> None:
    mapping = map_names(["a-sepia.png", "a-dark.png"], NamingOptions("{story}-{theme}"))
    assert [image.file for image in mapping.images] == ["a-dark.png"]
    assert mapping.ignored == {"a-sepia.png": "the name does not match {story}-{theme}"}


def test_patterns_that_cannot_be_used_are_refused_with_words(case: Case) -> None:
    for pattern, message in {
        "{theme}": "needs the field {story}",
        "{story}-{mode}": "has {mode}. The fields are {story}, {theme}",
        "{story": "a single brace",
        "{story}-{theme}-{theme}": "the field {theme} twice",
        "{story}{theme}": "two fields next to each other",
        "{any}-{any}-{any}-{any}-{story}": "{any} more than 3 times",
        "e2e\\{story}": "has a backslash; write folders with /",
        "percy": "There is no name pattern 'percy'. Use one of visual-review, loki",
    }.items():
        with case(pattern), pytest.raises(NamingError) as found:
            map_names(["a.png"], NamingOptions(pattern))
        assert message in str(found.value)


WORD = st.text("abcxyz", min_size=1, max_size=8)


@given(st.lists(WORD, min_size=1, max_size=3), st.sampled_from(["light", "dark"]), WORD, WORD)
def test_a_written_name_is_read_back(
    parts: list[str], theme: str, browser: str, platform: str
) -> None:
    file = f"{'-'.join(parts)}-{theme}-{browser}-{platform}.png"
    (image,) = map_names([file], NamingOptions("{story}-{theme}-{browser}-{platform}")).images
    assert image.story_id == f"{'-'.join(parts)}--{browser}-{platform}"
    assert image.theme == theme
