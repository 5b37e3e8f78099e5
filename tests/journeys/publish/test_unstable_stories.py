"""What a capture finds out about an image: its reviewers see it, on the page of its build."""

from contextlib import closing
from pathlib import Path

import pytest
from benchmarks.availability import sign_in

from tests.support.ci.job import CiJob, storybook


@pytest.mark.deep
def test_reviewers_see_notes_and_why_a_published_story_is_unstable(
    job: CiJob, tmp_path: Path
) -> None:
    job.server.act("set_repo_capture", repoId=job.repository, themes=["light"], devices=["phone"])
    folder = storybook(tmp_path / "storybook", "restless--locks", "calm--first", "outside--image")
    build = job.publish_json(folder)["build"]["id"]
    server = job.server
    with closing(sign_in(server.url, server.email, server.password)) as browser:
        index = browser.get(f"/builds/{build}/review.json").json()
        flags = {index["stories"][row[1]][0]: row[12] & (8 | 64) for row in index["screenshots"]}
        assert flags == {"restless--locks": 8, "calm--first": 0, "outside--image": 64}
        ids = {index["stories"][row[1]][0]: row[0] for row in index["screenshots"]}
        chosen = ",".join((ids["restless--locks"], ids["calm--first"]))
        details = browser.get(f"/builds/{build}/screenshots.json?ids={chosen}").json()
        restless, calm = (each["flakiness"] for each in details["screenshots"])
        assert (restless, calm) == ({"captures": 1, "unstable": 1, "varied": 0}, None)
