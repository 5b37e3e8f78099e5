"""The text of a pull request's comment, and that there is always just one."""

import re

from django.test import Client

from tests.support.hosted_world import COMMIT, NAME, HostedWorld
from visual_review.builds.models import HostMessage

SHOTS = {"a": "red"}
OTHER = "b" * 40
IMAGE = re.compile(r'src="[^"]*(/shared-pictures/[^"]+)"')


def test_nothing_is_posted_before_a_build_is_published(empty_world: HostedWorld) -> None:
    empty_world.open_pull_request()
    empty_world.upload({"a": "red"}, "feature", target="main", commit=COMMIT)
    empty_world.notify()
    assert empty_world.comments() == []
    assert empty_world.statuses()["visual-review"] == "pending"


def test_a_build_without_a_pull_request_gets_no_comment(empty_world: HostedWorld) -> None:
    empty_world.open_pull_request()
    empty_world.publish({"a": "red"}, "feature", commit=COMMIT)
    empty_world.notify()
    assert empty_world.comments() == []


def test_it_shows_counts_and_where_to_review(notified_world: HostedWorld) -> None:
    (comment,) = notified_world.comments()
    assert "Visual Review: review needed" in comment
    assert "| `default` | [1](" in comment
    assert "| Review needed | 0 | 1 | 0 | 0 |" in comment
    assert f"/builds/{notified_world.build.id})" in comment


def test_it_is_edited_in_place(notified_world: HostedWorld) -> None:
    notified_world.approve(notified_world.build)
    notified_world.notify()
    (comment,) = notified_world.comments()
    assert "Visual Review: approved" in comment
    assert len(notified_world.host.calls("add_comment")) == 1


def test_it_holds_the_newest_build_of_each_product(world: HostedWorld) -> None:
    world.publish_change(SHOTS, product_key="shop")
    world.publish_change({"a": "red", "b": "blue"}, commit=OTHER)
    world.notify()
    (comment,) = world.comments()
    assert comment.index("`default`") < comment.index("`shop`")
    assert "| [3](" in comment
    assert "| [1](" not in comment


def test_a_deleted_comment_is_posted_anew(notified_world: HostedWorld) -> None:
    notified_world.host.delete_comment(NAME, 1, notified_world.host.comments_of(NAME, 1)[0].id)
    notified_world.approve(notified_world.build)
    notified_world.notify()
    (comment,) = notified_world.comments()
    assert "approved" in comment


def test_an_equal_comment_is_not_sent_again_though_urls_of_images_differ(
    world: HostedWorld,
) -> None:
    world.approve(world.build)
    world.notify()
    world.act("approve_all_screenshots", buildId=world.build.id)
    world.notify()
    assert len(world.host.calls("add_comment", "edit_comment")) == 1


def test_it_says_what_was_carried_over(empty_world: HostedWorld) -> None:
    empty_world.open_pull_request()
    empty_world.approve(empty_world.publish({"a": "white"}))
    empty_world.approve(empty_world.publish_change(SHOTS))
    empty_world.notify()
    empty_world.publish_change({"a": "red", "b": "blue"}, commit=OTHER)
    empty_world.notify()
    (comment,) = empty_world.comments()
    assert "1 approval was carried over" in comment
    # The carried one needs no look.
    assert len(IMAGE.findall(comment)) == 1


def test_changes_behind_many_carried_over_ones_have_an_image(empty_world: HostedWorld) -> None:
    empty_world.approve(empty_world.publish({"a": "white"}))
    shots = {f"a-{number:02}": "red" for number in range(61)}
    empty_world.open_pull_request()
    first = empty_world.publish_change(shots)
    empty_world.approve(first)
    empty_world.publish_change(shots | {"z": "blue"}, commit=OTHER)
    empty_world.notify()
    assert len(IMAGE.findall(empty_world.comments()[0])) == 1


def test_at_most_six_images_are_shown_and_open_without_a_sign_in(empty_world: HostedWorld) -> None:
    empty_world.open_pull_request()
    shots = {f"story-{number}": "red" for number in range(8)}
    empty_world.publish_change(shots)
    empty_world.notify()
    found = IMAGE.findall(empty_world.comments()[0])
    assert len(found) == 6
    response = Client().get(found[0])
    assert response.status_code == 200
    assert response["Content-Type"] == "image/png"
    assert response.content.startswith(b"\x89PNG")
    assert response["X-Content-Type-Options"] == "nosniff"


def test_an_image_of_a_changed_url_is_refused(notified_world: HostedWorld) -> None:
    (address,) = IMAGE.findall(notified_world.comments()[0])
    other = notified_world.shot(notified_world.publish({"z": "blue"}), "z").id
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
    notified_world: HostedWorld,
) -> None:
    (address,) = IMAGE.findall(notified_world.comments()[0])
    notified_world.repository.comment_pictures = False
    notified_world.repository.save()
    assert Client().get(address).status_code == 404
    notified_world.approve(notified_world.build)
    notified_world.notify()
    assert "<img" not in notified_world.comments()[0]


def test_comments_can_be_turned_off_and_nothing_is_posted_later(world: HostedWorld) -> None:
    world.repository.posts_comments = False
    world.repository.save()
    world.notify()
    assert world.comments() == []
    world.repository.posts_comments = True
    world.repository.save()
    world.notify_later()
    assert world.comments() == []
    assert HostMessage.objects.get(kind="comment").state == "dropped"
    assert world.statuses()["visual-review"] == "pending"


def test_groups_are_listed_with_one_image_each(empty_world: HostedWorld) -> None:
    empty_world.open_pull_request()
    names = [f"card--{number}" for number in range(9)]
    empty_world.approve(empty_world.publish(dict.fromkeys([*names, "menu"], "red")))
    shots = dict.fromkeys(names, "green") | {"menu": "blue", "more": "white"}
    empty_world.publish_change(shots)
    empty_world.notify()
    (comment,) = empty_world.comments()
    assert re.search(r"- \*\*9 alike\*\*: `[^`]+`, such as `card--\d`, light, desktop<br>", comment)
    assert re.search(r"- `menu`, light, desktop: `[^`]+`<br>", comment)
    # One for each group and one for the new screenshot.
    assert len(IMAGE.findall(comment)) == 3


def test_groups_that_were_approved_before_are_not_listed(empty_world: HostedWorld) -> None:
    empty_world.open_pull_request()
    empty_world.approve(empty_world.publish({"a": "red", "b": "red", "c": "red"}))
    first = empty_world.publish({"a": "green", "b": "green", "c": "red"}, "feature", target="main")
    empty_world.approve(first)
    shots = {"a": "green", "b": "green", "c": "blue"}
    empty_world.publish_change(shots)
    empty_world.notify()
    (comment,) = empty_world.comments()
    assert "alike" not in comment
    assert "- `c`, light, desktop" in comment


def test_hostile_names_are_escaped(empty_world: HostedWorld) -> None:
    empty_world.open_pull_request()
    evil = '"><script>@acme/all `x` | #1\n/close'
    empty_world.publish_change({evil: "red"})
    empty_world.notify()
    (comment,) = empty_world.comments()
    assert "<script" not in comment
    assert "@acme" not in comment
    assert "\n/close" not in comment
