"""Ignored regions of a story: announced by CI, kept with the baseline, used by the comparison."""

import io
from collections.abc import Sequence

import pytest
from PIL import Image

from tests.support.ci.publish_client import Job, PngImage, connect, problem_of, put
from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.review_json import get_json
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import any_action
from visual_review.builds.comparing.complete import complete_build, complete_recomparison
from visual_review.builds.comparing.measure import measure_build, remeasure_build
from visual_review.builds.models import BaselineEntry, Build, Screenshot

# The place of a clock with another time in each image.
CLOCK = {"x": 10, "y": 4, "width": 6, "height": 3}


class Site:
    """Publishes a page of one story, whose clock and heading may differ."""

    def __init__(self, personas: Personas) -> None:
        self.job: Job = connect(personas.alice)
        self.persona = personas.alice

    def publish(
        self,
        clock: str,
        heading: str = "navy",
        regions: Sequence[object] = (CLOCK,),
        height: int = 20,
    ) -> Screenshot:
        image = _page(clock, heading, height)
        build = self.job.create()
        shot = {**image.shot("a"), "regions": list(regions)}
        for upload in self.job.announce(build, shot)["uploads"]:
            assert put(upload["url"], image.data).status_code == 201
        self.job.finish(build)
        row = Build.objects.get(pk=build["id"])
        complete_build(row.id, measure_build(row))
        return Screenshot.objects.get(build=row)

    def approve(self, shot: Screenshot) -> None:
        dispatch(any_action("approve_build"), self.persona.caller, {"buildId": shot.build_id})


def _page(clock: str, heading: str, height: int) -> PngImage:
    page = Image.new("RGB", (30, height), "white")
    page.paste(heading, (2, 1, 28, 3))
    page.paste(clock, (10, 4, 16, 7))
    file = io.BytesIO()
    page.save(file, "PNG")
    return PngImage(file.getvalue(), 30, height)


@pytest.fixture
def site(personas: Personas) -> Site:
    return Site(personas)


def test_a_difference_inside_is_ignored_once_the_baseline_has_the_region(site: Site) -> None:
    site.approve(site.publish("red", regions=()))
    first = site.publish("green")
    assert (first.diff_state, first.only_in_regions) == ("changed", False)
    site.approve(first)
    assert BaselineEntry.objects.get(to_version=None).regions == [CLOCK]
    same = site.publish("blue")
    assert (same.diff_state, same.only_in_regions) == ("unchanged", True)
    # Without the mark in the new image, the clock counts again; outside of the clock, all counts.
    assert site.publish("blue", regions=()).diff_state == "changed"
    assert site.publish("blue", heading="teal").diff_state == "changed"


def test_what_an_element_grew_by_is_compared(site: Site) -> None:
    smaller = {**CLOCK, "width": 3}
    site.approve(site.publish("red", regions=[smaller]))
    assert site.publish("blue").diff_state == "changed"
    taller = site.publish("red", regions=[smaller], height=24)
    assert taller.diff_state == "changed"


def test_the_verdict_with_another_region_is_not_reused(site: Site) -> None:
    site.approve(site.publish("red"))
    ignored = site.publish("blue")
    other = site.publish("blue", regions=[{**CLOCK, "x": 0}])
    assert (ignored.diff_state, other.diff_state) == ("unchanged", "changed")
    assert ignored.comparison_id != other.comparison_id


def test_a_comparison_again_ignores_the_same(site: Site) -> None:
    site.approve(site.publish("red"))
    shot = site.publish("blue", heading="teal")
    before = shot.comparison_id
    build = Build.objects.get(pk=shot.build_id)
    complete_recomparison(build.id, remeasure_build(build))
    shot.refresh_from_db()
    assert (shot.diff_state, shot.comparison_id) == ("changed", before)


def test_the_newest_regions_of_the_same_image_are_the_baseline_s(site: Site) -> None:
    site.approve(site.publish("red", regions=()))
    again = site.publish("red")
    assert again.diff_state == "unchanged"
    dispatch(
        any_action("approve_all_screenshots"), site.persona.caller, {"buildId": again.build_id}
    )
    assert site.publish("blue").diff_state == "unchanged"


def test_the_page_shows_what_the_story_ignores(site: Site) -> None:
    site.approve(site.publish("red", regions=[{**CLOCK, "width": 9}]))
    shot = site.publish("blue", heading="teal", regions=[{**CLOCK, "height": 5}])
    url = f"/builds/{shot.build_id}/screenshots.json?ids={shot.id}"
    (found,) = get_json(signed_in(site.persona), url)["screenshots"]
    assert found["regions"] == [{**CLOCK, "fromStory": True}]


@pytest.mark.parametrize(
    "wrong",
    [
        [{**CLOCK, "x": 25}],
        [{**CLOCK, "height": 17}],
        [{**CLOCK, "width": 0}],
        [{**CLOCK, "y": -1}],
        [{**CLOCK, "x": 0.5}],
        [CLOCK] * 101,
    ],
)
def test_regions_outside_the_image_are_refused(site: Site, wrong: list[object]) -> None:
    build = site.job.create()
    shot = {**_page("red", "navy", 20).shot("a"), "regions": wrong}
    body = {"shard": 1, "screenshots": [shot]}
    problem_of(site.job.call("POST", f"builds/{build['id']}/screenshots", body), 400)


def test_a_shard_that_is_repeated_with_another_image_replaces_its_regions(site: Site) -> None:
    build = site.job.create()
    moved = {**CLOCK, "x": 0}
    site.job.announce(build, {**_page("red", "navy", 20).shot("a"), "regions": [CLOCK]})
    site.job.announce(build, {**_page("blue", "navy", 20).shot("a"), "regions": [moved]})
    assert Screenshot.objects.get().regions == [moved]
