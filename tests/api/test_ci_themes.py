"""How captures switch the theme: sent by CI, kept with the product, shown in its settings."""

import pytest

from tests.support.case import Case
from tests.support.ci.client import Job, connect, problem_of
from tests.support.pages import signed_in
from tests.support.personas import Personas
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


@pytest.fixture
def job(personas: Personas) -> Job:
    return connect(personas.alice)


def finish(job: Job, build: dict[str, object], themes: object) -> None:
    response = job.call("POST", f"builds/{build['id']}/finish", {"shard": 1, "themes": themes})
    assert response.status_code == 200, response.content


def stored_way() -> str | None:
    evidence = Product.objects.get().theme_evidence
    return evidence and evidence["kind"]


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
    assert stored_way() == "global"


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
