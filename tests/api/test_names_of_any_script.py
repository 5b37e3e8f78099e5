"""Names of any script, from connecting to a decision: accepted and returned unchanged."""

import json
from typing import Any
from urllib.parse import quote

from tests.support.api_keys import call, user_key
from tests.support.case import Case
from tests.support.ci.publish_client import Job, make_image
from tests.support.personas import Personas
from visual_review.builds.comparing.complete import complete_build
from visual_review.builds.comparing.measure import measure_build
from visual_review.builds.models import Build
from visual_review.repositories.models import Repository

WORDS = (
    ("Greek", "ελληνικά"),
    ("Chinese", "界面"),
    ("Arabic", "واجهة"),
    ("an emoji of several", "👩\u200d💻"),
    ("combining marks", "e\u0301te\u0301"),
    ("composed letters", "été"),
    ("letters that fold to others", "straße"),
    ("Hindi with a joiner", "क्\u200dष"),
)


def test_names_are_returned_as_they_were_given(personas: Personas, case: Case) -> None:
    key = user_key(personas.alice)

    def act(action: str, **body: object) -> Any:  # noqa: ANN401 - Any JSON.
        response = call(key, action, body)
        document = json.loads(response.content)
        assert response.status_code == 200, document
        return document["result"]

    for script, word in WORDS:
        with case(script):
            name, branch, story = f"{word}/{word}", f"{word}/1", f"{word}--{word}"
            connected = act("connect_repo", fullName=name, defaultBranch=branch)
            repo = connected["repo"]
            assert (repo["fullName"], repo["defaultBranch"]) == (name, branch)
            assert name in [each["fullName"] for each in act("list_repos")["repos"]]

            job = Job(connected["projectToken"], Repository.objects.get(pk=repo["id"]))
            published = job.publish({story: make_image()}, branch=branch, productKey=word)
            row = Build.objects.get(pk=published["id"])
            complete_build(row.id, measure_build(row))

            (build,) = act("list_builds", repoId=repo["id"], productKey=word)["builds"]
            assert (build["productKey"], build["branch"]) == (word, branch)
            full = act("get_build", buildId=build["id"])["build"]
            assert [shot["storyId"] for shot in full["screenshots"]] == [story]
            regions = act(
                "set_dynamic_regions",
                repoId=repo["id"],
                productKey=word,
                storyId=story,
                theme="light",
                device="desktop",
                regions=[],
            )
            assert (regions["productKey"], regions["storyId"]) == (word, story)
            act("set_repo_capture", repoId=repo["id"], productKey=word, themes=["light"])
            assert act("list_recordings", repoId=repo["id"], productKey=word)["recordings"] == []
            act("approve_story_screenshots", buildId=build["id"], storyId=story)
            assert act("get_build", buildId=build["id"])["build"]["reviewState"] == "approved"
            plan = job.plan(branch="x", baseBranch=quote(branch), productKey=quote(word))
            assert plan["baseline"]["branch"] == branch


def test_names_that_look_alike_are_different_repositories(personas: Personas) -> None:
    key = user_key(personas.alice)
    for name in ("été/web", "e\u0301te\u0301/web", "straße/web", "strasse/web"):
        assert call(key, "connect_repo", {"fullName": name}).status_code == 200
    for name in ("ÉTÉ/web", "Strasse/WEB"):
        response = call(key, "connect_repo", {"fullName": name})
        assert response.status_code == 409
        assert "is already connected, with the id 'repo_" in json.loads(response.content)["detail"]


def test_the_same_name_in_another_case_is_named_with_its_id(personas: Personas) -> None:
    key = user_key(personas.alice)
    # Their lower case is the same, their upper case is not.
    assert call(key, "connect_repo", {"fullName": "kelvin/web"}).status_code == 200
    response = call(key, "connect_repo", {"fullName": "\u212aelvin/web"})
    assert response.status_code == 409
    assert "'kelvin/web' is already connected" in json.loads(response.content)["detail"]
