"""Whatever the names are: no file is lost without a word, and no two become one."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from visual_review.client.image_names import NamingError, NamingOptions, map_names

PARTS = (
    *("light", "dark", "phone", "Mobile", "tablet", "desktop", "chromium", "chrome", "linux"),
    *("a", "home", "b--c", "iphone", "13", "1280x720", "snap", "actual", "diff", "expected", ""),
    *("backstop", "0", "document", "(failed)", "(attempt 2)", "Größe", "\u202e", "\udcff"),
)
FOLDERS = (
    *("__screenshots__", "__snapshots__", "a.spec.ts-snapshots", "b.cy.js", ".loki", "reference"),
    *("current", "difference", "bitmaps_test", "bitmaps_reference", "dark", "phone", "home", "."),
    "__diff_output__",
)
PATTERNS = (
    *("", "plain", "playwright", "loki", "backstop", "visual-review", "vitest", "storycap"),
    *("{story}-{theme}", "{any}/{story}_{device}", "{story}", "{browser}-{story}"),
)


@st.composite
def paths(draw: st.DrawFn) -> str:
    folders = draw(st.lists(st.sampled_from(FOLDERS), max_size=4))
    separator = draw(st.sampled_from(["-", "_", "--", " ", "."]))
    parts = draw(st.lists(st.sampled_from(PARTS), min_size=1, max_size=5))
    stem = separator.join(parts) or "x"
    return "/".join([*folders, f"{stem}.{draw(st.sampled_from(['png', 'webp']))}"])


FILES = st.lists(
    paths() | st.text(min_size=1, max_size=12).map(lambda text: f"{text}.png"),
    max_size=8,
    unique=True,
)
NAMINGS = st.builds(
    NamingOptions,
    st.sampled_from(PATTERNS),
    st.sampled_from(["light", "dark"]),
    st.sampled_from(["phone", "tablet", "desktop"]),
)


@given(FILES, NAMINGS, st.sampled_from(["", "/repo", "/repo/.loki/current"]))
def test_each_file_has_a_variant_of_its_own_or_a_reason(
    files: list[str], naming: NamingOptions, location: str
) -> None:
    try:
        mapping = map_names(files, naming, location)
    except NamingError:
        # Only names without a pattern need one.
        if naming.pattern:
            raise
        return
    found = [image.file for image in mapping.images]
    assert Counter([*found, *mapping.ignored, *mapping.problems]) == Counter(files)
    assert all((*mapping.ignored.values(), *mapping.problems.values()))
    variants = {(image.story_id, image.theme, image.device) for image in mapping.images}
    assert len(variants) == len(mapping.images)
    assert all(image.story_id for image in mapping.images)


@given(FILES, NAMINGS)
def test_the_order_of_the_files_changes_nothing(files: list[str], naming: NamingOptions) -> None:
    try:
        mapping = map_names(files, naming)
    except NamingError:
        return
    assert map_names(files[::-1], naming) == mapping


@given(FILES)
def test_another_file_never_renames_a_plain_one(files: list[str]) -> None:
    # A baseline is found by the story's ID, so the ID must not depend on neighboring files.
    together = {image.file: image for image in map_names(files, NamingOptions("plain")).images}
    for file in files:
        alone = map_names([file], NamingOptions("plain")).images
        if file in together and alone and "actual" not in file:
            assert together[file] == alone[0]
