"""Two renderers: which changes of an edited Storybook the service calls not from the branch."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from scripts.demo_server import DemoServer

from tests.journeys.check.conftest import approve_storybook
from tests.journeys.check.test_many_edits import COMPONENTS, LOOKS
from tests.support.checked_storybooks import CheckedStorybook, edit_style
from tests.support.ci.job import connect_repository
from tests.support.rebuilt_storybooks import copy_example

pytestmark = pytest.mark.deep

FONTS: Final = Path("/usr/share/fonts/truetype")
CONFIGURATION: Final = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>{fonts}</dir><cachedir>{cache}</cachedir></fontconfig>
"""
EDITS: Final = [
    *(
        (f"{name}-*.css", f'[class*="{name}"]{{{LOOKS[number % len(LOOKS)]}}}')
        for number, name in enumerate(COMPONENTS)
    ),
    ("tabs-*.css", '[class*="tab"]{border-bottom:3px solid #7a0000}'),
    ("stat-*.css", '[class*="stat"]{background:#ffe9b0!important}'),
    ("iframe-*.css", "body{background:#eef3ff!important}"),
    ("button-*.css", "/* nothing that is seen */"),
]
# At least this share of what no edit changed.
NAMED: Final = 0.95
found: Counter[str] = Counter()


@dataclass(frozen=True)
class TwoRenderers:
    """The example approved with one set of fonts, and the variables for each set."""

    approved: CheckedStorybook
    before: dict[str, str]
    after: dict[str, str]


@pytest.fixture(scope="module")
def renderers(server: DemoServer, tmp_path_factory: pytest.TempPathFactory) -> TwoRenderers:
    folder = tmp_path_factory.mktemp("renderers")
    variables = []
    for name in ("dejavu", "liberation"):
        if not (FONTS / name).is_dir():
            pytest.skip(f"the fonts {name} are not installed")
        path = folder / f"{name}.conf"
        path.write_text(CONFIGURATION.format(fonts=FONTS / name, cache=folder / "cache"))
        variables.append({"FONTCONFIG_FILE": str(path)})
    job = connect_repository(server, folder)
    project = copy_example(job.cwd)
    (project.root / "src" / "components" / "broken.stories.js").unlink()
    project.build()
    # Without fonts of its own, the example is set in those of the system.
    for font in project.built.rglob("*.woff2"):
        font.unlink()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        approved = approve_storybook(job, project.built, project.root, variables[0])
    return TwoRenderers(approved, variables[0], variables[1])


def changes_of(listed: dict[str, Any]) -> dict[str, str | None]:
    """Return the changed stories, and why each is not from the branch."""
    return {
        change["storyId"]: change["notFromBranch"]
        for group in listed["groups"]
        for change in group["changes"]
        if change["diffState"] == "changed"
    }


@pytest.mark.parametrize("number", range(len(EDITS)))
def test_an_edit_is_never_called_not_from_the_branch(
    renderers: TwoRenderers, tmp_path: Path, number: int
) -> None:
    edited = renderers.approved.copy(tmp_path / "storybook-static")
    edit_style(edited.built, *EDITS[number])
    # What the edit changes is what changes with the renderer of the baseline.
    caused = changes_of(edited.publish(f"same-{number}", "--partial", env=renderers.before))
    changed = changes_of(edited.publish(f"other-{number}", env=renderers.after))
    wrong = {story for story in caused if changed.get(story)}
    assert not wrong
    others = {story: cause for story, cause in changed.items() if story not in caused}
    found["named"] += sum(cause is not None for cause in others.values())
    found["others"] += len(others)
    assert set(others.values()) <= {
        None,
        "other fonts, other flags of the browser, or another locale",
    }


def test_most_of_the_others_are() -> None:
    assert found["others"] > len(EDITS) * 10
    share = found["named"] / found["others"]
    assert share >= NAMED, f"{found['named']} of {found['others']}"
