"""Many edits: verdict, groups and words of a check equal the server's, byte for byte."""

import json
import shutil
from pathlib import Path
from typing import Final

import pytest
from scripts.demo_server import DemoServer
from scripts.setup_steps import SAMPLES

from tests.journeys.check.conftest import approve_storybook
from tests.support.checked_storybooks import (
    COMPONENT_EDITS,
    CheckedStorybook,
    comparable,
    edit_style,
)
from tests.support.ci.job import connect_repository

pytestmark = pytest.mark.deep

DATA: Final = SAMPLES / "storybooks"
# Style sheet, and what is appended to it: single components, then what all stories share.
EXAMPLE_EDITS: Final = [
    *COMPONENT_EDITS,
    ("typography-*.css", "h1,h2{letter-spacing:1px}"),
    ("iframe-*.css", "button{border-radius:2px!important}"),
    ("iframe-*.css", "h1,h2,h3,p{color:#123456!important}"),
    ("iframe-*.css", "body{line-height:1.7!important}"),
    ("button-*.css", "/* nothing that is seen */"),
    ("iframe-*.css", "/* nothing that is seen */"),
]
PAGE_EDITS: Final = (
    "button{border-radius:11px!important}",
    "input,select{background:#fff3c4!important}",
    "a,p{letter-spacing:.4px!important}",
    "body{font-size:105%!important}",
    "/* nothing that is seen */",
)
STORIES: Final = 24


@pytest.mark.parametrize("number", range(len(EXAMPLE_EDITS)))
def test_an_edit_of_the_example(example: CheckedStorybook, number: int) -> None:
    edit_style(example.built, *EXAMPLE_EDITS[number])
    checked = example.check_json()
    listed = example.publish(f"edit-{number}")
    assert comparable(checked) == comparable(listed)


@pytest.fixture(scope="module", params=["sveltestrap/after", "witchcraft-vue"])
def approved_book(
    server: DemoServer, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> CheckedStorybook:
    """A Storybook of another project, with some of its stories."""
    if not (DATA / request.param).is_dir():
        pytest.skip(f"the Storybook {request.param} is not among the data ({DATA})")
    folder = tmp_path_factory.mktemp("book")
    built = folder / "built" / "storybook-static"
    shutil.copytree(DATA / request.param, built)
    index = built / "index.json"
    document = json.loads(index.read_text())
    listed = {name: each for name, each in document["entries"].items() if each["type"] == "story"}
    step = max(1, len(listed) // STORIES)
    document["entries"] = {name: listed[name] for name in list(listed)[::step]}
    index.write_text(json.dumps(document))
    return approve_storybook(connect_repository(server, folder), built, built.parent)


@pytest.fixture
def book(approved_book: CheckedStorybook, tmp_path: Path) -> CheckedStorybook:
    return approved_book.copy(tmp_path / "storybook-static")


@pytest.mark.parametrize("rule", PAGE_EDITS)
def test_an_edit_of_another_projects_storybook(book: CheckedStorybook, rule: str) -> None:
    page = book.built / "iframe.html"
    page.write_text(page.read_text().replace("</head>", f"<style>{rule}</style></head>", 1))
    checked = book.check_json()
    listed = book.publish(f"edit-{PAGE_EDITS.index(rule)}")
    assert comparable(checked) == comparable(listed)
