"""No group holds a planted defect together with an intended change."""

from dataclasses import dataclass

import pytest

from tests.support.depth import rounds, some_of
from tests.support.imagediff.defects import DEFECT_KINDS, plant_defect
from tests.support.imagediff.shared_data import RealPair, real_change
from visual_review.client.comparing.outcomes import parse_name
from visual_review.imagediff import compare_with_marks
from visual_review.imagediff.changes.analysis import analyze
from visual_review.imagediff.changes.grouping import ChangedScreenshot, group_changes

# A pair in two themes, and one in several widths, in the sets with a real change of each.
STORIES = {"gravity-menu": "Menu-smoke-menu-group-", "gravity-layout": "Container-smoke"}


@dataclass(frozen=True)
class Story:
    """The screenshots of one story with the same change."""

    pairs: tuple[RealPair, ...]
    changed: tuple[ChangedScreenshot, ...]


@pytest.fixture(scope="module", params=list(STORIES.items()), ids=list(STORIES))
def story(request: pytest.FixtureRequest) -> Story:
    folder, part = request.param
    found = [pair for pair in real_change(folder).pairs if part in pair.name]
    pairs = tuple(pair for pair in found if pair.kind != "identical")
    return Story(pairs, tuple(make_screenshot(pair, pair.after) for pair in pairs))


def make_screenshot(pair: RealPair, after: bytes) -> ChangedScreenshot:
    _, marks = compare_with_marks(pair.before, after)
    name = parse_name(pair.name)
    return ChangedScreenshot(
        *(pair.name, name.family, name.story, name.device),
        *(marks.before, marks.after, analyze(marks)),
    )


def test_a_real_story_changed_alike_in_all_variants(story: Story) -> None:
    (group,) = group_changes(story.changed)
    assert len(group.members) == len(story.pairs) > 1


def test_a_defect_is_never_in_the_group_of_intended_changes(story: Story) -> None:
    last = story.pairs[-1]
    _, marks = compare_with_marks(last.before, last.after)
    for kind in some_of(DEFECT_KINDS, rounds(2, len(DEFECT_KINDS))):
        for seed in range(rounds(1, 20)):
            defect = plant_defect(last.after, kind, seed, marks.boxes)
            assert defect is not None
            shots = (*story.changed[:-1], make_screenshot(last, defect.png))
            planted = [group for group in group_changes(shots) if last.name in group.members]
            assert [group.members for group in planted] == [(last.name,)], (kind, seed)
