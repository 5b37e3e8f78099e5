"""The index of a build's review page: its rows, tables, groups and cursors."""

import gzip
import json

from django.test import Client

from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.review_json import read_index
from tests.support.worlds import World, build_with_each_state, build_with_groups
from visual_review.builds.cursors import read_cursors
from visual_review.builds.models import ChangeGroup, ReviewEntry, Screenshot
from visual_review.builds.variants import Variant

STATES = {"changed": 0, "new": 1, "removed": 2, "failed": 3}
ALL = tuple(
    Variant(theme, device)
    for theme in ("light", "dark")
    for device in ("phone", "tablet", "desktop")
)


def test_every_difference_is_a_row_in_the_order_of_work(
    personas: Personas, reviewer: Client
) -> None:
    _, build = build_with_each_state(personas.bob)
    index = read_index(reviewer, build)
    assert {row["story"]: row["state"] for row in index.rows} == {
        "other": 0,
        "more": 1,
        "gone": 2,
        "broken": 3,
    }
    assert [row["state"] for row in index.rows] == [0, 1, 2, 3]
    assert index.row("broken")["message"] == "It threw."
    assert (index.row("broken")["width"], index.row("gone")["width"]) == (0, 4)
    assert index.row("other")["ratio"] == 1
    assert index.row("other")["kind"]
    assert index.body["unchangedCount"] == 1


def test_variants_that_did_not_change_are_bits_of_their_story(
    personas: Personas, reviewer: Client
) -> None:
    world = World(personas.bob)
    light, dark = (Variant(theme, "desktop") for theme in ("light", "dark"))
    first = world.publish({"a": "red", "b": "red"}, matrix=(light, dark))
    world.approve(first)
    build = world.publish({"a": "green", "b": "red"}, matrix=(light, dark))
    Screenshot.objects.filter(build=build, theme="dark").update(diff_state="unchanged")
    index = read_index(reviewer, build).body
    assert [story for story, _ in index["stories"]] == ["a"]
    # Devices within themes: the bit of dark on a desktop is the sixth.
    assert index["unchangedVariants"] == [1 << 5]


def test_unchanged_screenshots_come_on_demand(personas: Personas, reviewer: Client) -> None:
    _, build = build_with_each_state(personas.bob)
    rest = read_index(reviewer, build, "?part=unchanged")
    assert [(row["story"], row["state"], row["flags"]) for row in rest.rows] == [("same", 5, 0)]
    assert rest.cursor == read_index(reviewer, build).cursor


def test_themes_and_devices_are_numbers_in_their_order(
    personas: Personas, reviewer: Client
) -> None:
    build = World(personas.bob).publish({"b": "red", "a": "red"}, matrix=ALL)
    rows = read_index(reviewer, build).rows
    assert [row["story"] for row in rows] == ["a"] * 6 + ["b"] * 6
    assert [(row["theme"], row["device"]) for row in rows[:6]] == [
        *((0, 0), (0, 1), (0, 2)),
        *((1, 0), (1, 1), (1, 2)),
    ]


def test_groups_of_several_are_listed_and_rows_refer_to_them(
    personas: Personas, reviewer: Client
) -> None:
    _, build = build_with_groups(personas.bob)
    cards = ChangeGroup.objects.get(build=build, screenshot_count=3)
    index = read_index(reviewer, build)
    group = next(each for each in index.body["groups"] if each["id"] == cards.id)
    assert (group["count"], group["revision"], group["name"]) == (3, cards.revision, cards.name)
    number = index.body["groups"].index(group)
    assert [row["story"] for row in index.rows if row["group"] == number] == [
        *("card--a", "card--b", "card--c"),
    ]
    # Alone, and without remainders.
    assert index.row("menu--a")["group"] == -1


def test_the_order_within_a_state_is_that_of_the_groups(
    personas: Personas, reviewer: Client
) -> None:
    _, build = build_with_groups(personas.bob)
    groups = ChangeGroup.objects.filter(build=build)
    alone = groups.get(screenshots__story_id="menu--a")
    for first, expected in ((alone.position, "menu--a"), (None, "card--a")):
        if first is None:
            groups.filter(pk=alone.pk).update(position=99)
        else:
            groups.exclude(pk=alone.pk).update(position=50)
        assert read_index(reviewer, build).rows[0]["story"] == expected


def test_flags_say_what_is_special_about_a_screenshot(personas: Personas, reviewer: Client) -> None:
    world, build = build_with_each_state(personas.bob)
    shot = Screenshot.objects.filter(pk=world.shot(build, "other").pk)
    values: dict[str, tuple[int, dict[str, object]]] = {
        "inherited": (1, {"inherited": True}),
        "regions": (2, {"only_in_regions": True}),
        "former": (4, {"matches_former_baseline": True}),
        "unstable": (8, {"unstable": "A canvas kept changing."}),
        "carried": (16, {"decision_source": "carried_over"}),
        "comment": (32, {"comment": "No."}),
        "notes": (64, {"notes": [{"kind": "blank", "text": "One color."}]}),
    }
    expected = 0
    for flag, change in values.values():
        shot.update(**change)
        expected |= flag
        assert read_index(reviewer, build).row("other")["flags"] == expected
    assert read_index(reviewer, build).row("more")["flags"] == 0


def test_decisions_name_who_decided(personas: Personas, reviewer: Client) -> None:
    world, build = build_with_each_state(personas.bob)
    world.act("review_screenshot", screenshotId=world.shot(build, "other").id, state="approved")
    world.act("review_screenshot", screenshotId=world.shot(build, "more").id, state="rejected")
    rows = Screenshot.objects.filter(build=build)
    rows.filter(story_id="other").update(decision_source="api_key")
    index = read_index(reviewer, build)
    decided = {row["story"]: (row["decision"], row["person"]) for row in index.rows}
    assert decided == {
        "other": (1, "Bob (API key)"),
        "more": (2, "Bob"),
        "gone": (0, ""),
        "broken": (0, ""),
    }


def test_the_build_says_what_it_was_compared_with_and_who_reads_it(
    personas: Personas, reviewer: Client
) -> None:
    world, build = build_with_each_state(personas.bob)
    newer = world.publish({"same": "red"})
    body = read_index(reviewer, build).body
    assert build.baseline is not None
    history = f"/baselines/{build.baseline_id}"
    expected = {
        "number": 2,
        "status": "completed",
        "reviewState": "unreviewed",
        "decidedBy": "",
        "decidedAt": None,
        "baseline": {"branch": "main", "version": 1, "url": history},
        "ownBranch": "main",
        "historyUrl": history,
        "supersededBy": {"number": newer.number, "url": f"/builds/{newer.id}"},
        "decidable": True,
        "counts": dict.fromkeys((*STATES, "unchanged"), 1) | {"pending": 0, "inherited": 0},
    }
    assert {name: body["build"][name] for name in expected} == expected
    assert body["me"] == {"id": personas.bob.user.id, "name": "Bob", "mayReview": True}
    assert not read_index(signed_in(personas.carol), build).body["me"]["mayReview"]


def test_a_build_that_is_processing_lists_what_is_pending(
    personas: Personas, reviewer: Client
) -> None:
    world = World(personas.bob)
    build = world.upload({"a": "red", "b": "error"})
    body = read_index(reviewer, build).body
    assert body["build"]["status"] == "uploading"
    assert not body["build"]["decidable"]
    assert body["build"]["counts"]["pending"] == 2
    assert {row[4] for row in body["screenshots"]} == {4}


def test_large_answers_are_compressed_where_the_browser_accepts_it(
    personas: Personas, reviewer: Client
) -> None:
    build = World(personas.bob).publish({f"story-{number}": "red" for number in range(40)})
    url = f"/builds/{build.id}/review.json"
    plain = reviewer.get(url)
    assert "Content-Encoding" not in plain
    packed = reviewer.get(url, headers={"Accept-Encoding": "br, gzip;q=0.8"})
    assert packed["Content-Encoding"] == "gzip"
    assert json.loads(gzip.decompress(packed.content)) == plain.json()
    assert int(packed["Content-Length"]) == len(packed.content) < len(plain.content)
    assert "Accept-Encoding" in packed["Vary"]
    refused = reviewer.get(url, headers={"Accept-Encoding": "gzip;q=0"})
    assert "Content-Encoding" not in refused


def test_an_index_that_did_not_change_is_not_sent_again(
    personas: Personas, reviewer: Client
) -> None:
    world, build = build_with_each_state(personas.bob)
    url = f"/builds/{build.id}/review.json"
    first = reviewer.get(url)
    assert set(first["Cache-Control"].split(", ")) == {"private", "no-cache"}
    seen = {"If-None-Match": first["ETag"]}
    assert reviewer.get(url, headers=seen).status_code == 304
    # Another part, and another reader.
    assert reviewer.get(f"{url}?part=unchanged", headers=seen).status_code == 200
    assert signed_in(personas.alice).get(url, headers=seen).status_code == 200
    world.act("review_screenshot", screenshotId=world.shot(build, "other").id, state="approved")
    assert reviewer.get(url, headers=seen).status_code == 200


def test_each_build_has_the_newest_entry_of_its_own(personas: Personas) -> None:
    world = World(personas.alice)
    builds = [world.publish({"a": "red", "b": "red"}, branch=f"branch-{n}") for n in range(4)]
    # The last and the second have no entry, and others before them do.
    for build in (builds[2], builds[0], builds[2]):
        shot = world.shot(build, "a").id
        world.act("review_screenshot", screenshotId=shot, state="rejected")
        world.act("review_screenshot", screenshotId=shot, state="approved")
    found = read_cursors([build.id for build in builds] + ["build_unknown"])
    newest = {
        build.id: max(
            ReviewEntry.objects.filter(build=build).values_list("id", flat=True), default=0
        )
        for build in builds
    }
    assert {key: cursor.entry for key, cursor in found.items()} == newest
    assert [newest[build.id] > 0 for build in builds] == [True, False, True, False]
