"""Groups on a build's page: headings, sentences, and the button that approves a group."""

import re

import pytest
from django.test import Client

from tests.support.builds_in_review import BuildInReview, build_with_groups
from tests.support.pages import signed_in, text_of
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.builds.comparing.complete import complete_recomparison
from visual_review.builds.comparing.measure import remeasure_build
from visual_review.builds.models import Build, ChangeGroup, Comparison, Screenshot
from visual_review.builds.variants import Variant

APPROVE = re.compile(r"Approve (these \d+|this one)")


@pytest.fixture
def grouped(personas: Personas) -> BuildInReview:
    return build_with_groups(personas.bob)


@pytest.fixture
def reviewer(personas: Personas) -> Client:
    return signed_in(personas.bob)


def cards(build: Build) -> ChangeGroup:
    return ChangeGroup.objects.get(build=build, screenshot_count=3)


def press_approve(client: Client, group: ChangeGroup) -> str:
    form = {"operation": "approve_group", "groupId": group.id, "revision": group.revision}
    response = client.post(f"/builds/{group.build_id}/decide", form, follow=True)
    assert response.status_code == 200
    return response.content.decode()


def test_a_group_has_a_heading_with_its_stories_below(
    reviewer: Client, grouped: BuildInReview
) -> None:
    _, build = grouped
    page = text_of(reviewer, f"/builds/{build.id}/plain")
    heading = page.index(f'id="{cards(build).id}"')
    places = [page.index(f'id="story-card--{letter}"') for letter in "abc"]
    assert heading < min(places)
    between = page[min(places) : max(places)]
    assert 'id="story-menu--a"' not in between
    assert "3 alike" in page
    assert APPROVE.findall(page) == ["these 3"]


def test_each_changed_screenshot_has_its_sentence(reviewer: Client, grouped: BuildInReview) -> None:
    _, build = grouped
    Comparison.objects.update(summary="card <b>vanished</b> at 1,2")
    page = text_of(reviewer, f"/builds/{build.id}/plain?show=all")
    assert page.count("Card &lt;b&gt;vanished&lt;/b&gt; at 1,2") == 5


def test_outliers_are_counted_and_linked(reviewer: Client, grouped: BuildInReview) -> None:
    world, build = grouped
    odd = world.shot(build, "card--d")
    ChangeGroup.objects.filter(pk=cards(build).pk).update(outliers=[odd.id])
    page = text_of(reviewer, f"/builds/{build.id}/plain")
    assert "3 alike</strong>, 1 differs" in page
    assert f'href="?story=card--d#{odd.id}"' in page


def test_the_button_approves_the_group_and_nothing_else(
    reviewer: Client, grouped: BuildInReview
) -> None:
    _, build = grouped
    page = press_approve(reviewer, cards(build))
    assert "It applies to 3 screenshots." in page
    approved = Screenshot.objects.filter(build=build, review_decision="approved")
    assert sorted(approved.values_list("story_id", flat=True)) == [
        "card--a",
        "card--b",
        "card--c",
    ]
    assert "already decided" in press_approve(reviewer, cards(build))
    assert APPROVE.findall(text_of(reviewer, f"/builds/{build.id}/plain")) == []


def test_a_rejected_screenshot_is_left_out_with_a_warning(
    reviewer: Client, grouped: BuildInReview
) -> None:
    world, build = grouped
    shot = world.shot(build, "card--b")
    world.act("review_screenshot", screenshotId=shot.id, state="rejected")
    assert APPROVE.findall(text_of(reviewer, f"/builds/{build.id}/plain")) == ["these 2"]
    assert "1 rejected screenshot of the group" in press_approve(reviewer, cards(build))
    assert world.states(build)["card--b"] == "changed rejected"


def test_a_group_of_an_outdated_page_is_not_approved(
    reviewer: Client, grouped: BuildInReview
) -> None:
    world, build = grouped
    shown = cards(build)
    Comparison.objects.filter(pk=world.shot(build, "card--b").comparison_id).update(diff_pixels=0)
    row = Build.objects.select_related("repository", "product").get(pk=build.pk)
    complete_recomparison(row.id, remeasure_build(row))
    page = press_approve(reviewer, shown)
    assert "compared again" in page
    assert not Screenshot.objects.filter(build=build).exclude(review_decision="").exists()


def test_a_story_in_two_groups_is_approved_by_screenshot_only(
    reviewer: Client, personas: Personas
) -> None:
    world = World(personas.bob)
    matrix = (Variant("light", "desktop"), Variant("light", "phone"))
    first = world.publish({"a": "red", "b": "red"}, matrix=matrix)
    world.act("approve_build", buildId=first.id)
    build = world.publish({"a": "green", "b": "red"}, matrix=matrix)
    page = text_of(reviewer, f"/builds/{build.id}/plain")
    assert page.count("Approve story") == 1
    one, other = Screenshot.objects.filter(build=build, story_id="a")
    groups = ChangeGroup.objects.filter(build=build)
    second = groups.create(build=build, key="other", position=1, screenshot_count=1, revision="")
    Screenshot.objects.filter(pk=other.pk).update(group=second)
    page = text_of(reviewer, f"/builds/{build.id}/plain")
    assert "Approve story" not in page
    assert (page.count('id="story-a"'), page.count('id="story-a-2"')) == (1, 1)
    assert one.group_id != second.id


def test_viewers_and_other_organizations_cannot_approve(
    personas: Personas, grouped: BuildInReview
) -> None:
    _, build = grouped
    group = cards(build)
    form = {"operation": "approve_group", "groupId": group.id, "revision": group.revision}
    for persona, status in ((personas.carol, 403), (personas.mallory, 404)):
        response = signed_in(persona).post(f"/builds/{build.id}/decide", form)
        assert response.status_code == status
    assert APPROVE.findall(text_of(signed_in(personas.carol), f"/builds/{build.id}/plain")) == []
    assert not Screenshot.objects.filter(build=build).exclude(review_decision="").exists()


def test_the_settings_page_sets_whether_faint_changes_count(personas: Personas) -> None:
    world = World(personas.alice)
    client = signed_in(personas.alice)
    url = f"/repositories/{world.repository.id}"
    assert "Ignore faint changes" in text_of(client, f"{url}/settings")
    client.post(f"{url}/faint-changes", {"productKey": "default", "count": "no"})
    page = text_of(client, f"{url}/settings")
    assert "Count faint changes" in page
    assert "The setting was saved." in page
    client.post(f"{url}/faint-changes", {"productKey": "default", "count": "yes"})
    assert "Ignore faint changes" in text_of(client, f"{url}/settings")


def test_the_settings_page_sets_whether_approvals_carry_over(personas: Personas) -> None:
    world = World(personas.alice)
    client = signed_in(personas.alice)
    url = f"/repositories/{world.repository.id}"
    page = text_of(client, f"{url}/settings")
    assert "Review each pull request</button>" in page
    assert "Switching affects builds that are compared from then on." in page
    client.post(f"{url}/carry-over", {"across": "no"})
    page = text_of(client, f"{url}/settings")
    assert "Carry approvals over</button>" in page
    assert "The setting was saved. It applies to builds from now on." in page
    reviewer = text_of(signed_in(personas.bob), f"{url}/settings")
    assert ">Not carried over</span>" in reviewer
    assert "Carry approvals over</button>" not in reviewer
    client.post(f"{url}/carry-over", {"across": "yes"})
    assert ">Carried over</span>" in text_of(client, f"{url}/settings")
