"""Two renderers: the changes of an edited Storybook said to be not from the branch."""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from scripts.demo_server import DemoServer

from tests.journeys.check.conftest import approve_storybook
from tests.support.case import Case
from tests.support.checked_storybooks import COMPONENT_EDITS, CheckedStorybook, edit_style
from tests.support.ci.job import connect_repository
from tests.support.rebuilt_storybooks import copy_example

pytestmark = pytest.mark.deep

FONTS: Final = Path("/usr/share/fonts/truetype")
CONFIGURATION: Final = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{fonts}</dir></fontconfig>
"""
EDITS: Final = [
    *COMPONENT_EDITS,
    ("tabs-*.css", '[class*="tab"]{border-bottom:3px solid #7a0000}'),
    ("stat-*.css", '[class*="stat"]{background:#ffe9b0!important}'),
    ("iframe-*.css", "body{background:#eef3ff!important}"),
    ("button-*.css", "/* nothing that is seen */"),
]
# Of the changes without an edit, at least this share has a named cause.
NAMED: Final = 0.95
CAUSE: Final = "other fonts, other flags of the browser, or another locale"


@dataclass(frozen=True)
class TwoRenderers:
    """The example approved with one set of fonts, and the variables for each set."""

    approved: CheckedStorybook
    before: dict[str, str]
    after: dict[str, str]


@pytest.fixture(scope="module")
def font_sets() -> Iterator[list[dict[str, str]]]:
    """Variables for the browser: only one family of fonts each."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # The browser may run as another user.
        folder.chmod(0o755)
        variables = []
        for family in ("dejavu", "liberation"):
            if not (FONTS / family).is_dir():
                pytest.skip(f"the fonts {family} are not installed")
            path = folder / f"{family}.conf"
            path.write_text(CONFIGURATION.format(fonts=FONTS / family))
            variables.append({"FONTCONFIG_FILE": str(path)})
        yield variables


@pytest.fixture(scope="module")
def renderers(
    server: DemoServer, tmp_path_factory: pytest.TempPathFactory, font_sets: list[dict[str, str]]
) -> TwoRenderers:
    folder = tmp_path_factory.mktemp("renderers")
    job = connect_repository(server, folder)
    project = copy_example(job.cwd)
    (project.root / "src" / "components" / "broken.stories.js").unlink()
    project.build()
    # Without fonts of its own, the example is set in the system's fonts.
    for font in project.built.rglob("*.woff2"):
        font.unlink()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        approved = approve_storybook(job, project.built, project.root, font_sets[0])
    return TwoRenderers(approved, *font_sets)


def changes_of(listed: dict[str, Any]) -> dict[str, str | None]:
    """Return the changed stories, and why each is not from the branch."""
    return {
        change["storyId"]: change["notFromBranch"]
        for group in listed["groups"]
        for change in group["changes"]
        if change["diffState"] == "changed"
    }


@dataclass(frozen=True)
class Outcome:
    """Stories changed by an edit, and the other changed stories, split by having a cause."""

    caused: frozenset[str]
    wrong: frozenset[str]
    others: frozenset[str]
    named: frozenset[str]


def publish_edit(renderers: TwoRenderers, folder: Path, number: int) -> Outcome:
    edited = renderers.approved.copy(folder)
    edit_style(edited.built, *EDITS[number])
    # With the renderer of the baseline, only the edit changes stories.
    caused = changes_of(edited.publish(f"same-{number}", "--partial", env=renderers.before))
    changed = changes_of(edited.publish(f"other-{number}", env=renderers.after))
    named = {story for story, cause in changed.items() if cause is not None}
    assert {changed[story] for story in named} <= {CAUSE}
    return Outcome(
        frozenset(caused),
        frozenset(named & caused.keys()),
        frozenset(changed.keys() - caused.keys()),
        frozenset(named - caused.keys()),
    )


@pytest.mark.timeout(900)
def test_an_edit_is_never_called_not_from_the_branch_and_most_others_are(
    case: Case, renderers: TwoRenderers, tmp_path: Path
) -> None:
    outcomes = []
    for number in range(len(EDITS)):
        with case(EDITS[number][1]):
            outcomes.append(publish_edit(renderers, tmp_path / str(number), number))
            assert not outcomes[-1].wrong
    assert sum(len(each.caused) for each in outcomes) > len(EDITS)
    others = sum(len(each.others) for each in outcomes)
    named = sum(len(each.named) for each in outcomes)
    assert others > len(EDITS) * 10
    assert named >= NAMED * others, f"{named} of {others}"
