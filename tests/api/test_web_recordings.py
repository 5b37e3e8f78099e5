"""The list of recordings, the player's page and the buttons, in a browser without scripts."""

import html
import re

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from tests.support.case import Case
from tests.support.pages import signed_in, text_of
from tests.support.personas import Personas
from tests.support.recording_rows import attach, enable, record
from tests.support.worlds import World
from visual_review.audit.models import AuditEntry
from visual_review.billing.prices import Price
from visual_review.kernel.clock import now
from visual_review.recordings.models import Enrollment, Recording
from visual_review.repositories.models import Product

COMMIT = "1f7c1b2c0f3d4e5a6b7c8d9e0f1a2b3c4d5e6f70"


@pytest.fixture
def world(personas: Personas) -> World:
    world = World(personas.alice)
    enable(world.repository)
    return world


def read_list(client: Client, world: World, query: str = "") -> str:
    return text_of(client, f"/repositories/{world.repository.id}/recordings{query}")


def read_recording_page(client: Client, recording: Recording) -> str:
    return text_of(client, f"/recordings/{recording.id}")


def test_the_list_shows_previews_lengths_and_outcomes_newest_first(
    owner: Client, world: World
) -> None:
    first = record(world.repository, "Signing in")
    second = record(
        world.repository, "Signing out", outcome="timed_out", retry=2, duration_ms=65000
    )
    page = read_list(owner, world)
    assert page.index(second.id) < page.index(first.id)
    assert page.count('preload="metadata"') == 2
    assert f"{first.id}/original.webm?" in page
    assert "1:05" in page
    assert "Timed out" in page
    assert "Retry 2" in page


def test_recordings_that_cannot_be_watched_are_marked_in_the_list(
    owner: Client, world: World
) -> None:
    record(world.repository, status="failed", duration_ms=None)
    record(world.repository, status="processing")
    page = read_list(owner, world)
    assert "Video failed" in page
    assert "Processing" in page
    assert "<video" not in page


FILTERS: tuple[tuple[str, set[str]], ...] = (
    ("", {"Signing in", "Paying", "Sending"}),
    ("?outcome=failed", {"Paying"}),
    ("?status=processing", {"Sending"}),
    ("?text=feature/pay", {"Paying"}),
    ("?text=signing+IN", {"Signing in"}),
    ("?text=sign-in.spec", {"Signing in", "Paying", "Sending"}),
    ("?product=shop", {"Sending"}),
    ("?outcome=passed&product=default", {"Signing in"}),
    # Invalid values show all instead of an error.
    ("?outcome=bored", {"Signing in", "Paying", "Sending"}),
    ("?text=%25", set()),
    ("?after=99", {"Signing in", "Paying", "Sending"}),
)


def test_the_list_is_filtered(case: Case, owner: Client, world: World) -> None:
    titles = ("Signing in", "Paying", "Sending")
    shop = Product.objects.create(repository=world.repository, key="shop")
    record(world.repository, "Signing in")
    record(world.repository, "Paying", outcome="failed", branch="feature/pay")
    record(world.repository, "Sending", product=shop, status="processing")
    for query, found in FILTERS:
        with case(query):
            page = read_list(owner, world, query)
            assert {title for title in titles if title in page} == found


def test_a_download_has_the_original_name_and_the_extension_of_its_content(
    owner: Client, world: World
) -> None:
    row = record(world.repository)
    Recording.objects.update(file_name="sign in.v2.mov")
    assert 'download="sign in.v2.webm"' in read_recording_page(owner, row)


def test_pages_of_the_list_keep_the_filters(owner: Client, world: World) -> None:
    for number in range(25):
        record(world.repository, f"Test {number:02}", outcome="failed")
    page = read_list(owner, world, "?outcome=failed")
    assert "Test 00" not in page
    (following,) = re.findall(r'rel="next" href="(\?outcome=failed&amp;after=[^"]+)"', page)
    page = read_list(owner, world, html.unescape(following))
    assert "Test 00" in page
    assert 'href="?outcome=failed">First page' in page


def test_a_deleted_recording_is_not_shown(owner: Client, world: World) -> None:
    row = record(world.repository, deleted_at=now())
    assert row.id not in read_list(owner, world)
    assert owner.get(f"/recordings/{row.id}").status_code == 404


def test_the_delete_button_deletes_the_recording(owner: Client, world: World) -> None:
    row = record(world.repository, "Signing in")
    assert "Delete this recording" in read_recording_page(owner, row)
    shown = owner.post(f"/recordings/{row.id}/delete", follow=True).content.decode()
    assert "was deleted" in shown
    assert f"/recordings/{row.id}" not in shown
    assert owner.post(f"/recordings/{row.id}/delete").status_code == 404
    assert AuditEntry.objects.get().verb == "recording.deleted"


def test_an_empty_list_shows_the_command_or_where_to_enable_recordings(
    owner: Client, world: World, personas: Personas
) -> None:
    assert "visual-review recordings" in read_list(owner, world)
    Enrollment.objects.update(enabled=False)
    for client in (owner, signed_in(personas.carol)):
        page = read_list(client, world)
        assert "Recordings are disabled" in page
        assert f"/repositories/{world.repository.id}/settings#recordings" in page


def test_recordings_of_a_disabled_repository_can_still_be_watched(
    owner: Client, world: World
) -> None:
    row = record(world.repository)
    Enrollment.objects.update(enabled=False)
    page = read_list(owner, world)
    assert "uploads from CI are rejected" in page
    assert row.id in page
    assert "<video" in read_recording_page(owner, row)


def test_without_scripts_each_step_links_to_its_time(owner: Client, world: World) -> None:
    page = read_recording_page(owner, record(world.repository))
    assert page.count('class="step"') == 3
    for start in ("0", "0.5", "1.2"):
        assert f'#t={start}" data-start="{start}"' in page
    assert "controls" in page


def test_error_test_and_attachments_are_escaped(owner: Client, world: World) -> None:
    row = record(
        world.repository, "<b>Bold</b>", outcome="failed", error="expected <true>\n  at line 7"
    )
    attach(row)
    attach(row, "large.zip", stored_at=None, failure="it has another hash")
    page = read_recording_page(owner, row)
    assert "&lt;b&gt;Bold&lt;/b&gt;" in page
    assert "<b>Bold</b>" not in page
    assert "expected &lt;true&gt;" in page
    assert "tests/sign-in.spec.ts" in page
    assert 'download="trace.zip"' in page
    assert 'download="large.zip"' not in page
    assert "it has another hash" in page


def test_a_failed_recording_shows_the_reason_and_the_original(owner: Client, world: World) -> None:
    row = record(
        world.repository,
        status="failed",
        failure="The file ends before its first frame.",
    )
    page = read_recording_page(owner, row)
    assert "<video" not in page
    assert "The file ends before its first frame." in page
    assert "original.webm?" in page
    # Steps are listed, although there is no video to jump in.
    assert "Look at the button" in page
    assert "#t=" not in page


def test_builds_of_the_commit_and_stories_of_steps_are_linked(owner: Client, world: World) -> None:
    older = world.publish({"a": "red"}, commit=COMMIT)
    newer = world.publish({"b": "red"}, commit=COMMIT)
    other = world.publish({"a": "blue"}, commit="0" * 40)
    page = read_recording_page(owner, record(world.repository, commit=COMMIT))
    assert f'"/builds/{newer.id}"' in page
    assert f'"/builds/{older.id}"' in page
    assert f"/builds/{other.id}" not in page
    assert f'"/builds/{older.id}?story=a"' in page


def test_a_story_without_a_build_is_not_linked(owner: Client, world: World) -> None:
    world.publish({"b": "red"}, commit=COMMIT)
    assert "?story=" not in read_recording_page(owner, record(world.repository, commit=COMMIT))
    assert "none for this commit" in read_recording_page(owner, record(world.repository, commit=""))


def test_recordings_are_enabled_and_disabled_in_the_settings(
    owner: Client, world: World, settings: Settings
) -> None:
    settings.RECORDINGS_PRICE = Price(900, "EUR")
    Enrollment.objects.all().delete()
    settings_page = f"/repositories/{world.repository.id}/settings"
    assert "Enable for 9.00 EUR a month" in text_of(owner, settings_page)
    url = f"/repositories/{world.repository.id}/enrollment"
    shown = owner.post(url, {"operation": "enable"}, follow=True).content.decode()
    assert "Recordings are enabled." in shown
    assert "Disable recordings" in shown
    shown = owner.post(url, {"operation": "disable"}, follow=True).content.decode()
    assert "Recordings are disabled." in shown
    verbs = list(AuditEntry.objects.order_by("id").values_list("verb", flat=True))
    assert verbs == ["recordings.enabled", "recordings.disabled"]


def test_free_recordings_show_no_price(owner: Client, world: World, settings: Settings) -> None:
    settings.RECORDINGS_PRICE = Price(0, "EUR")
    Enrollment.objects.all().delete()
    page = text_of(owner, f"/repositories/{world.repository.id}/settings")
    assert "Enable recordings</button>" in page
    assert "EUR" not in page


def test_an_invalid_operation_changes_nothing(owner: Client, world: World) -> None:
    url = f"/repositories/{world.repository.id}/enrollment"
    shown = owner.post(url, {"operation": "?"}, follow=True).content.decode()
    assert "Choose whether" in shown
    assert Enrollment.objects.get().enabled
    assert not AuditEntry.objects.exists()


def test_only_admins_see_the_buttons(world: World, personas: Personas) -> None:
    row = record(world.repository)
    settings_page = f"/repositories/{world.repository.id}/settings"
    for persona in (personas.bob, personas.carol):
        client = signed_in(persona)
        assert "Delete this recording" not in read_recording_page(client, row)
        assert "Disable recordings" not in text_of(client, settings_page)
