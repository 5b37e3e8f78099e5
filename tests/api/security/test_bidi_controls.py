"""Names that reverse the text around them are shown with symbols wherever people read them."""

import json
import re
from html import unescape

import pytest
from django.test import Client

from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.review_json import get_json
from tests.support.worlds import World
from visual_review.accounts.keys import NewKey, create_key
from visual_review.accounts.models import ApiKey, Organization, User
from visual_review.audit.models import AuditEntry
from visual_review.builds.bidi_controls import CONTROLS
from visual_review.builds.models import Build, ChangeGroup, Comparison, PullRequest, Screenshot
from visual_review.builds.notifying.markup import code_span, quote_block
from visual_review.repositories.models import Repository
from visual_review.web.bidi_controls import KEPT

HOSTILE = "safe\u202eevil\u2066\u200f"
SHOWN = "safe⟨U+202E⟩evil⟨U+2066⟩⟨U+200F⟩"
MOST_PAGES = 150
_LINK = re.compile(r'<a\b[^>]*\shref="(/[^"#]*)')


@pytest.fixture
def world(personas: Personas) -> World:
    """Everything with a name or a text has a hostile one."""
    world = World(personas.alice)
    world.approve(world.publish({"a": "red"}))
    build = world.publish({"a": "blue"}, target="main", branch="feature", message=HOSTILE)
    shot = world.shot(build, "a")
    world.act("review_screenshot", screenshotId=shot.id, state="rejected", comment=HOSTILE)
    Screenshot.objects.update(title=HOSTILE, story_id=HOSTILE, decided_by_name=HOSTILE)
    # The CI interface refuses such branches; events of a Git provider may have others.
    Build.objects.filter(pk=build.pk).update(branch=HOSTILE, head_repository=HOSTILE)
    PullRequest.objects.update(title=HOSTILE)
    create_key(world.persona.caller, NewKey("user", "key", []))
    ApiKey.objects.update(name=HOSTILE)
    User.objects.update(name=HOSTILE)
    Organization.objects.update(name=HOSTILE)
    AuditEntry.objects.update(actor_name=HOSTILE, target_name=HOSTILE)
    return world


def crawl(browser: Client) -> dict[str, str]:
    """Return every page linked from the start page, directly or not, by its path."""
    waiting, pages = ["/"], dict[str, str]()
    while waiting:
        path = waiting.pop()
        if path in pages or len(pages) >= MOST_PAGES:
            continue
        response = browser.get(path)
        # Of redirects, only redirects to pages: images are elsewhere.
        target = response.get("Location", "")
        waiting += [target] if target.startswith("/") else []
        pages[path] = ""
        if response["Content-Type"].startswith("text/html"):
            pages[path] = response.content.decode()
            waiting += [unescape(link) for link in _LINK.findall(pages[path])]
        elif response.streaming:
            # An image is a file, open until read.
            b"".join(response)
    return pages


def test_every_page_shows_them_as_symbols(world: World) -> None:
    pages = crawl(signed_in(world.persona))
    assert len(pages) > 15
    raw = {path for path, page in pages.items() if CONTROLS.search(KEPT.sub("", page))}
    assert raw == set()
    for path in ("/keys", "/members", "/audit", f"/repositories/{world.repository.id}"):
        assert SHOWN in pages[path], path
    assert any(SHOWN in page for path, page in pages.items() if path.startswith("/builds/"))


def test_the_json_of_a_review_page_shows_them_but_keeps_ids(world: World) -> None:
    build = Build.objects.latest("number")
    Build.objects.update(failure=HOSTILE)
    ChangeGroup.objects.update(name=HOSTILE, screenshot_count=2)
    Comparison.objects.update(summary=HOSTILE)
    shots = Screenshot.objects.filter(build=build)
    shots.update(message=HOSTILE, unstable=HOSTILE, decided_client=HOSTILE)
    shots.update(notes=[{"kind": "blank-image", "text": HOSTILE}])
    client = signed_in(world.persona)
    index = get_json(client, f"/builds/{build.id}/review.json")
    assert index["stories"] == [[HOSTILE, SHOWN]]
    ids = ",".join(shot.id for shot in shots)
    rest = [
        {**index, "stories": []},
        get_json(client, f"/builds/{build.id}/screenshots.json?ids={ids}"),
        get_json(client, f"/builds/{build.id}/log.json"),
    ]
    texts = [json.dumps(each, ensure_ascii=False) for each in rest]
    assert [CONTROLS.findall(text) for text in texts] == [[], [], []]
    assert all(SHOWN in text for text in texts)


def test_stored_values_and_json_stay_as_they_are(world: World) -> None:
    build = Build.objects.latest("number")
    result = world.act("get_build", buildId=build.id).model_dump()
    assert result["build"]["branch"] == HOSTILE
    assert Repository.objects.get().full_name == world.repository.full_name
    assert Build.objects.get(pk=build.pk).message == HOSTILE


def test_comments_at_git_providers_show_them_as_symbols() -> None:
    assert code_span(HOSTILE) == f"`{SHOWN}`"
    assert SHOWN in quote_block(HOSTILE)
