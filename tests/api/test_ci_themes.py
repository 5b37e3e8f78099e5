"""How captures switch the theme: sent by CI, kept and shown with the build, and in the settings."""

from tests.support.case import Case
from tests.support.ci.publish_client import Job, problem_of
from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.builds.models import Build
from visual_review.builds.publishing.theme_evidence import ThemeEvidence, newest_theme_evidence
from visual_review.repositories.models import Product

BY_GLOBAL = {
    "kind": "global",
    "name": "skin",
    "light": "day",
    "dark": "night",
    "target": "html",
    "configured": False,
    "changedStories": 5,
    "sampledStories": 6,
    "differentPairs": 30,
    "comparedPairs": 36,
}
NOTHING = {"kind": "media", "comparedPairs": 36}


def finish(job: Job, build: dict[str, object], themes: object) -> None:
    response = job.call("POST", f"builds/{build['id']}/finish", {"shard": 1, "themes": themes})
    assert response.status_code == 200, response.content


def stored_way() -> str | None:
    product = Product.objects.get()
    evidence = newest_theme_evidence(product.repository).get(product.pk)
    return evidence and evidence.kind


def planned(job: Job) -> object:
    return job.plan(branch="main")["themeEvidence"]


def test_the_settings_show_how_the_theme_is_switched(job: Job, personas: Personas) -> None:
    build = job.create()
    finish(job, build, BY_GLOBAL)
    product = Product.objects.get()
    client = signed_in(personas.alice)
    page = f"/repositories/{product.repository_id}/settings"
    shown = client.get(page).content.decode()
    assert (
        "The dark theme is switched by the Storybook global skin (night): 5 of 6 sampled stories "
        "changed, 30 of 36 dark images differ."
    ) in shown
    finish(job, job.create(nonce="next"), NOTHING)
    shown = client.get(page).content.decode()
    assert "The last capture found no way to switch the theme, and light and dark" in shown


def test_a_pull_request_replaces_no_evidence(job: Job) -> None:
    pull_request = {"branch": "feature", "pullRequest": 7, "baseBranch": "main"}
    finish(job, job.create(nonce="first", **pull_request), NOTHING)
    assert stored_way() == "media"
    finish(job, job.create(nonce="second"), BY_GLOBAL)
    finish(job, job.create(nonce="third", **pull_request), NOTHING)
    job.create(nonce="fourth")
    assert stored_way() == "global"


def test_the_plan_says_how_themes_were_switched_in_what_was_accepted(personas: Personas) -> None:
    world = World(personas.alice)
    token = world.act("rotate_repo_token", repoId=world.repository.id).project_token
    job = Job(token, world.repository)
    assert planned(job) is None
    build = world.publish({"a": "red"})
    evidence = ThemeEvidence(kind="global", name="skin", light="day", preview_hash="abc")
    Build.objects.filter(pk=build.id).update(theme_evidence=evidence.model_dump())
    # Not looked at yet.
    assert planned(job) is None
    world.approve(build)
    # Says nothing of themes, as a folder of images.
    world.approve(world.publish({"a": "blue"}))
    expected = {"kind": "global", "name": "skin", "previewHash": "abc", "interrupted": False}
    found = planned(job)
    assert isinstance(found, dict)
    assert {name: found[name] for name in expected} == expected


def test_shards_that_switch_the_theme_differently_are_refused(job: Job) -> None:
    build = job.create(shards=2)
    finish(job, build, BY_GLOBAL)
    body = {"shard": 2, "themes": NOTHING}
    response = job.call("POST", f"builds/{build['id']}/finish", body)
    problem = problem_of(response, 409)
    assert "Another shard of this build switched the theme differently." in problem["detail"]
    again = job.call("POST", f"builds/{build['id']}/finish", {"shard": 2, "themes": BY_GLOBAL})
    assert again.status_code == 200


def test_the_page_of_a_build_says_that_the_search_broke(job: Job, personas: Personas) -> None:
    build = job.create()
    finish(job, build, {**BY_GLOBAL, "interrupted": True})
    page = signed_in(personas.alice).get(f"/builds/{build['id']}").content.decode()
    assert "The search for the theme was not completed" in page


def test_evidence_of_another_form_is_refused(job: Job, case: Case) -> None:
    build = job.create()
    for change in (
        {"kind": "magic"},
        {"name": "x" * 201},
        {"dark": "two\nlines"},
        {"changedStories": -1},
        {"other": 1},
    ):
        with case(change):
            body = {"shard": 1, "themes": BY_GLOBAL | change}
            problem_of(job.call("POST", f"builds/{build['id']}/finish", body), 400)
    assert stored_way() is None
