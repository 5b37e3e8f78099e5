"""The one comment of a pull request: what it says, and that it stays one."""

import re

from django.test import Client

from tests.actions.telling.hosted import COMMIT, NAME, Hosted
from visual_review.builds.host_models import HostMessage
from visual_review.builds.models import Build

OTHER = "b" * 40
PICTURE = re.compile(r'src="[^"]*(/shared-pictures/[^"]+)"')


def published(here: Hosted, **order: object) -> Build:
    here.pull_request()
    return here.world.publish({"a": "red"}, "feature", target="main", commit=COMMIT, **order)


def test_nothing_is_posted_before_a_build_is_published(here: Hosted) -> None:
    here.pull_request()
    here.world.upload({"a": "red"}, "feature", target="main", commit=COMMIT)
    here.run()
    assert here.comments() == []
    assert here.statuses()["visual-review"] == "pending"


def test_a_build_without_a_pull_request_gets_no_comment(here: Hosted) -> None:
    here.pull_request()
    here.world.publish({"a": "red"}, "feature", commit=COMMIT)
    here.run()
    assert here.comments() == []


def test_it_tells_counts_and_where_to_review(here: Hosted) -> None:
    build = published(here)
    here.run()
    (comment,) = here.comments()
    assert "Visual Review: review needed" in comment
    assert "| `default` | [1](" in comment
    assert "| Review needed | 0 | 1 | 0 | 0 |" in comment
    assert f"/builds/{build.id})" in comment


def test_it_is_edited_in_place(here: Hosted) -> None:
    build = published(here)
    here.run()
    here.approve(build)
    here.run()
    (comment,) = here.comments()
    assert "Visual Review: approved" in comment
    assert len(here.host.calls("add_comment")) == 1


def test_it_holds_the_newest_build_of_each_product(here: Hosted) -> None:
    published(here, product_key="web")
    here.world.publish({"a": "red"}, "feature", target="main", commit=COMMIT, product_key="shop")
    here.world.publish(
        {"a": "red", "b": "blue"}, "feature", target="main", commit=OTHER, product_key="web"
    )
    here.run()
    (comment,) = here.comments()
    assert comment.index("`shop`") < comment.index("`web`")
    assert "| [3](" in comment
    assert "| [1](" not in comment


def test_a_deleted_comment_is_posted_anew(here: Hosted) -> None:
    build = published(here)
    here.run()
    here.host.delete_comment(NAME, 1, here.host.comments_of(NAME, 1)[0].id)
    here.approve(build)
    here.run()
    (comment,) = here.comments()
    assert "approved" in comment


def test_equal_words_are_not_sent_again_though_addresses_of_pictures_differ(here: Hosted) -> None:
    build = published(here)
    here.approve(build)
    here.run()
    here.world.act("approve_all_screenshots", buildId=build.id)
    here.run()
    assert len(here.host.calls("add_comment", "edit_comment")) == 1


def test_what_was_carried_over_is_told(here: Hosted) -> None:
    here.approve(here.world.publish({"a": "white"}))
    here.approve(published(here))
    here.run()
    here.world.publish({"a": "red", "b": "blue"}, "feature", target="main", commit=OTHER)
    here.run()
    (comment,) = here.comments()
    assert "1 approval was carried over" in comment
    # The carried one needs no look.
    assert len(PICTURE.findall(comment)) == 1


def test_changes_behind_many_carried_over_ones_are_pictured(here: Hosted) -> None:
    here.approve(here.world.publish({"a": "white"}))
    shots = {f"a-{number:02}": "red" for number in range(61)}
    here.pull_request()
    first = here.world.publish(shots, "feature", target="main", commit=COMMIT)
    here.approve(first)
    here.world.publish(shots | {"z": "blue"}, "feature", target="main", commit=OTHER)
    here.run()
    assert len(PICTURE.findall(here.comments()[0])) == 1


def test_at_most_six_pictures_are_shown_and_open_without_a_sign_in(here: Hosted) -> None:
    here.pull_request()
    shots = {f"story-{number}": "red" for number in range(8)}
    here.world.publish(shots, "feature", target="main", commit=COMMIT)
    here.run()
    found = PICTURE.findall(here.comments()[0])
    assert len(found) == 6
    answer = Client().get(found[0])
    assert answer.status_code == 200
    assert answer["Content-Type"] == "image/png"
    assert answer.content.startswith(b"\x89PNG")
    assert answer["X-Content-Type-Options"] == "nosniff"


def test_a_picture_of_a_changed_address_is_refused(here: Hosted) -> None:
    published(here)
    here.run()
    (address,) = PICTURE.findall(here.comments()[0])
    other = here.world.shot(here.world.publish({"z": "blue"}), "z").id
    shot, _, rest = address.removeprefix("/shared-pictures/").partition(".")
    for wrong in (
        f"/shared-pictures/{other}.{rest}",
        address[:-1],
        f"/shared-pictures/{shot}",
        "/shared-pictures/%00",
        f"/shared-pictures/{'x' * 5000}",
    ):
        assert Client().get(wrong).status_code == 404, wrong


def test_pictures_can_be_turned_off_and_then_old_addresses_end(here: Hosted) -> None:
    build = published(here)
    here.run()
    (address,) = PICTURE.findall(here.comments()[0])
    here.world.repository.comment_pictures = False
    here.world.repository.save()
    assert Client().get(address).status_code == 404
    here.approve(build)
    here.run()
    assert "<img" not in here.comments()[0]


def test_comments_can_be_turned_off_and_nothing_is_posted_later(here: Hosted) -> None:
    published(here)
    here.world.repository.posts_comments = False
    here.world.repository.save()
    here.run()
    assert here.comments() == []
    here.world.repository.posts_comments = True
    here.world.repository.save()
    here.pass_time()
    assert here.comments() == []
    assert HostMessage.objects.get(kind="comment").state == "dropped"
    assert here.statuses()["visual-review"] == "pending"


def test_hostile_names_stay_texts(here: Hosted) -> None:
    here.pull_request()
    evil = '"><script>@acme/all `x` | #1\n/close'
    here.world.publish({evil: "red"}, "feature", target="main", commit=COMMIT)
    here.run()
    (comment,) = here.comments()
    assert "<script" not in comment
    assert "@acme" not in comment
    assert "\n/close" not in comment
