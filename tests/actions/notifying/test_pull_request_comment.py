"""The one comment of a pull request: what it says, and that it stays one."""

import re

import pytest
from django.test import Client

from tests.support.hosts.connected_repository import (
    COMMIT,
    NAME,
    ConnectedRepository,
    repository_with_build,
)
from tests.support.personas import Personas
from visual_review.builds.models import HostMessage
from visual_review.builds.notifying.comments import HEADINGS, RESULTS

SHOTS = {"a": "red"}
OTHER = "b" * 40
IMAGE = re.compile(r'src="[^"]*(/shared-pictures/[^"]+)"')


@pytest.fixture
def repository(personas: Personas) -> ConnectedRepository:
    """The host knows nothing yet of the build in review."""
    return repository_with_build(personas.alice, SHOTS)


@pytest.fixture
def notified_repository(personas: Personas) -> ConnectedRepository:
    """The host was notified of the build in review."""
    return repository_with_build(personas.alice, SHOTS, delivered=True)


def test_nothing_is_posted_before_a_build_is_published(
    empty_repository: ConnectedRepository,
) -> None:
    empty_repository.open_pull_request()
    empty_repository.world.upload({"a": "red"}, "feature", target="main", commit=COMMIT)
    empty_repository.run_jobs()
    assert empty_repository.comments() == []
    assert empty_repository.statuses()["visual-review"] == "pending"


def test_a_build_without_a_pull_request_gets_no_comment(
    empty_repository: ConnectedRepository,
) -> None:
    empty_repository.open_pull_request()
    empty_repository.world.publish({"a": "red"}, "feature", commit=COMMIT)
    empty_repository.run_jobs()
    assert empty_repository.comments() == []


def test_it_shows_counts_and_where_to_review(notified_repository: ConnectedRepository) -> None:
    (comment,) = notified_repository.comments()
    assert f"Visual Review: {HEADINGS['due']}" in comment
    assert "| `default` | [1](" in comment
    assert f"| {RESULTS['due']} | 0 | 1 | 0 | 0 |" in comment
    assert f"/builds/{notified_repository.build.id})" in comment


def test_it_is_edited_in_place(notified_repository: ConnectedRepository) -> None:
    notified_repository.approve(notified_repository.build)
    notified_repository.run_jobs()
    (comment,) = notified_repository.comments()
    assert "Visual Review: approved" in comment
    assert len(notified_repository.host.calls("add_comment")) == 1


def test_it_holds_the_newest_build_of_each_product(repository: ConnectedRepository) -> None:
    repository.world.publish(SHOTS, "feature", target="main", commit=COMMIT, product_key="shop")
    repository.world.publish({"a": "red", "b": "blue"}, "feature", target="main", commit=OTHER)
    repository.run_jobs()
    (comment,) = repository.comments()
    assert comment.index("`default`") < comment.index("`shop`")
    assert "| [3](" in comment
    assert "| [1](" not in comment


def test_a_deleted_comment_is_posted_anew(notified_repository: ConnectedRepository) -> None:
    notified_repository.host.delete_comment(
        NAME, 1, notified_repository.host.comments_of(NAME, 1)[0].id
    )
    notified_repository.approve(notified_repository.build)
    notified_repository.run_jobs()
    (comment,) = notified_repository.comments()
    assert "approved" in comment


def test_an_equal_comment_is_not_sent_again_though_urls_of_images_differ(
    repository: ConnectedRepository,
) -> None:
    repository.approve(repository.build)
    repository.run_jobs()
    repository.world.act("approve_all_screenshots", buildId=repository.build.id)
    repository.run_jobs()
    assert len(repository.host.calls("add_comment", "edit_comment")) == 1


def test_it_says_what_was_carried_over(empty_repository: ConnectedRepository) -> None:
    empty_repository.open_pull_request()
    empty_repository.approve(empty_repository.world.publish({"a": "white"}))
    empty_repository.approve(
        empty_repository.world.publish(SHOTS, "feature", target="main", commit=COMMIT)
    )
    empty_repository.run_jobs()
    empty_repository.world.publish(
        {"a": "red", "b": "blue"}, "feature", target="main", commit=OTHER
    )
    empty_repository.run_jobs()
    (comment,) = empty_repository.comments()
    assert "1 approval was carried over" in comment
    # The carried one needs no look.
    assert len(IMAGE.findall(comment)) == 1


def test_changes_behind_many_carried_over_ones_have_an_image(
    empty_repository: ConnectedRepository,
) -> None:
    empty_repository.approve(empty_repository.world.publish({"a": "white"}))
    shots = {f"a-{number:02}": "red" for number in range(61)}
    empty_repository.open_pull_request()
    first = empty_repository.world.publish(shots, "feature", target="main", commit=COMMIT)
    empty_repository.approve(first)
    empty_repository.world.publish(shots | {"z": "blue"}, "feature", target="main", commit=OTHER)
    empty_repository.run_jobs()
    assert len(IMAGE.findall(empty_repository.comments()[0])) == 1


def test_at_most_six_images_are_shown_and_open_without_a_sign_in(
    empty_repository: ConnectedRepository,
) -> None:
    empty_repository.open_pull_request()
    shots = {f"story-{number}": "red" for number in range(8)}
    empty_repository.world.publish(shots, "feature", target="main", commit=COMMIT)
    empty_repository.run_jobs()
    found = IMAGE.findall(empty_repository.comments()[0])
    assert len(found) == 6
    response = Client().get(found[0])
    assert response.status_code == 200
    assert response["Content-Type"] == "image/png"
    assert response.content.startswith(b"\x89PNG")
    assert response["X-Content-Type-Options"] == "nosniff"


def test_an_image_of_a_changed_url_is_refused(
    notified_repository: ConnectedRepository,
) -> None:
    (address,) = IMAGE.findall(notified_repository.comments()[0])
    other = notified_repository.world.shot(notified_repository.world.publish({"z": "blue"}), "z").id
    shot, _, rest = address.removeprefix("/shared-pictures/").partition(".")
    for wrong in (
        f"/shared-pictures/{other}.{rest}",
        address[:-1],
        f"/shared-pictures/{shot}",
        "/shared-pictures/%00",
        f"/shared-pictures/{'x' * 5000}",
    ):
        assert Client().get(wrong).status_code == 404, wrong


def test_images_can_be_turned_off_and_then_old_urls_stop_working(
    notified_repository: ConnectedRepository,
) -> None:
    (address,) = IMAGE.findall(notified_repository.comments()[0])
    notified_repository.row.comment_pictures = False
    notified_repository.row.save()
    assert Client().get(address).status_code == 404
    notified_repository.approve(notified_repository.build)
    notified_repository.run_jobs()
    assert "<img" not in notified_repository.comments()[0]


def test_comments_can_be_turned_off_and_nothing_is_posted_later(
    repository: ConnectedRepository,
) -> None:
    repository.row.posts_comments = False
    repository.row.save()
    repository.run_jobs()
    assert repository.comments() == []
    repository.row.posts_comments = True
    repository.row.save()
    repository.pass_time()
    assert repository.comments() == []
    assert HostMessage.objects.get(kind="comment").state == "dropped"
    assert repository.statuses()["visual-review"] == "pending"


def test_groups_are_listed_with_one_image_each(empty_repository: ConnectedRepository) -> None:
    empty_repository.open_pull_request()
    world = empty_repository.world
    names = [f"card--{number}" for number in range(9)]
    empty_repository.approve(world.publish(dict.fromkeys([*names, "menu"], "red")))
    shots = dict.fromkeys(names, "green") | {"menu": "blue", "more": "white"}
    world.publish(shots, "feature", target="main", commit=COMMIT)
    empty_repository.run_jobs()
    (comment,) = empty_repository.comments()
    assert re.search(r"- \*\*9 alike\*\*: `[^`]+`, such as `card--\d`, light, desktop<br>", comment)
    assert re.search(r"- `menu`, light, desktop: `[^`]+`<br>", comment)
    # One for each group and one for the new screenshot.
    assert len(IMAGE.findall(comment)) == 3


def test_groups_that_were_approved_before_are_not_listed(
    empty_repository: ConnectedRepository,
) -> None:
    empty_repository.open_pull_request()
    world = empty_repository.world
    empty_repository.approve(world.publish({"a": "red", "b": "red", "c": "red"}))
    first = world.publish({"a": "green", "b": "green", "c": "red"}, "feature", target="main")
    empty_repository.approve(first)
    shots = {"a": "green", "b": "green", "c": "blue"}
    world.publish(shots, "feature", target="main", commit=COMMIT)
    empty_repository.run_jobs()
    (comment,) = empty_repository.comments()
    assert "alike" not in comment
    assert "- `c`, light, desktop" in comment


def test_hostile_names_are_escaped(empty_repository: ConnectedRepository) -> None:
    empty_repository.open_pull_request()
    evil = '"><script>@acme/all `x` | #1\n/close'
    empty_repository.world.publish({evil: "red"}, "feature", target="main", commit=COMMIT)
    empty_repository.run_jobs()
    (comment,) = empty_repository.comments()
    assert "<script" not in comment
    assert "@acme" not in comment
    assert "\n/close" not in comment
