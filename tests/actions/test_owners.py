"""Members who own the source files of a change are asked for a review, by CODEOWNERS."""

import pytest
from django.test import Client

from tests.support.action_calls import act
from tests.support.case import Case
from tests.support.ci.publish_client import Job, connect, problem_of
from tests.support.pages import signed_in, text_of
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.audit.models import AuditEntry
from visual_review.builds.models import Build, RequestedReviewer, Screenshot, StorySources
from visual_review.builds.notifying.owners import MOST_PATHS, find_owners, store_sources
from visual_review.jobs.builds.request_owners import request_owners_of_build
from visual_review.kernel.errors import ForbiddenError, InvalidInputError
from visual_review.repositories.code_owners import parse_code_owners
from visual_review.repositories.models import CodeOwners, OwnerMember

FILE = "*.stories.tsx @bob\n/forms/ @acme/forms\n/mail/ carol@example.com\n"
SOURCES = {"src/a.stories.tsx": ["a"], "forms/b.stories.tsx": ["b"], "mail/c.ts": ["c"]}


@pytest.fixture
def job(personas: Personas) -> Job:
    return connect(personas.alice)


@pytest.fixture
def world(personas: Personas) -> World:
    world = World(personas.alice)
    CodeOwners.objects.create(repository=world.repository, text=FILE)
    members = {
        "@bob": ["bob@example.com"],
        "@acme/forms": ["Bob@example.com", "carol@example.com"],
    }
    act(personas.alice, "set_owners", repoId=world.repository.pk, titleRules="", members=members)
    return world


def publish(world: World, shots: dict[str, str], **more: str) -> Build:
    build = world.upload(shots, **more)  # type: ignore[arg-type]
    store_sources(build, SOURCES)
    return world.finish(build)


def asked(build: Build) -> list[str]:
    request_owners_of_build(build.pk, build.repository.organization_id)
    rows = RequestedReviewer.objects.filter(branch=build.branch)
    return sorted(each.user.name for each in rows.select_related("user"))


def test_the_file_is_taken_from_the_default_branch_only(case: Case, job: Job) -> None:
    assert job.plan(branch="main")["takesCodeOwners"] is True
    job.create(codeOwners=FILE)
    refused: tuple[dict[str, object], ...] = (
        {"branch": "feature"},
        {"pullRequest": 3, "baseBranch": "main"},
        {"headRepository": "mallory/web"},
    )
    for facts in refused:
        with case(str(facts)):
            job.create(codeOwners="* @mallory", **facts)
            assert CodeOwners.objects.get(repository=job.repository).text == FILE
    assert job.plan(branch="feature")["takesCodeOwners"] is False
    # A later build without the field keeps the file; an empty one is of a branch without a file.
    job.create()
    assert CodeOwners.objects.get(repository=job.repository).text == FILE
    job.create(codeOwners="")
    assert CodeOwners.objects.get(repository=job.repository).text == ""
    body = job.request_body(codeOwners="x" * 3_000_001)
    assert "codeOwners" in problem_of(job.call("POST", "builds", body), 400)["detail"]


def test_sources_are_kept_only_where_rules_exist(job: Job) -> None:
    job.create(sources=SOURCES)
    assert not StorySources.objects.exists()
    job.create(codeOwners=FILE, sources=SOURCES)
    assert StorySources.objects.get().paths["b"] == "forms/b.stories.tsx"


def test_owners_of_what_changed_are_asked_and_no_others(world: World, personas: Personas) -> None:
    first = publish(world, {"a": "red", "b": "red", "c": "red"})
    act(personas.alice, "approve_build", buildId=first.pk)
    build = publish(world, {"a": "blue", "b": "red", "c": "red"}, branch="one", target="main")
    assert asked(build) == ["Bob"]
    entry = AuditEntry.objects.get(verb="review.requested")
    assert (entry.actor_name, entry.after) == ("Visual Review", {"reviewers": ["Bob"]})
    build = publish(world, {"a": "red", "b": "blue", "c": "red"}, branch="two", target="main")
    assert asked(build) == ["Bob", "Carol"]
    build = publish(world, {"a": "red", "b": "red", "c": "blue"}, branch="three", target="main")
    assert asked(build) == ["Carol"]
    # Again, by an interrupted job.
    assert asked(build) == ["Carol"]
    page = text_of(signed_in(personas.bob), f"/builds/{build.pk}")
    assert "asked by <bdi>CODEOWNERS</bdi>" in page


def test_stories_without_a_source_have_owners_by_title(world: World, personas: Personas) -> None:
    rules = {"titleRules": "Z* @bob", "members": {}}
    act(personas.alice, "set_owners", repoId=world.repository.pk, **rules)
    assert asked(world.publish({"z": "red", "a": "red"})) == []
    rules = {"titleRules": "z* @bob", "members": {}}
    act(personas.alice, "set_owners", repoId=world.repository.pk, **rules)
    assert asked(world.publish({"z": "red", "a": "red"})) == ["Bob"]


def test_a_job_that_runs_again_asks_no_owners_of_titles_in_addition(
    world: World, personas: Personas
) -> None:
    rules = {"titleRules": "* @carol", "members": {}}
    act(personas.alice, "set_owners", repoId=world.repository.pk, **rules)
    build = publish(world, {"a": "red"})
    assert asked(build) == ["Bob"]
    assert asked(build) == ["Bob"]


def test_owners_of_what_a_second_comparison_found_are_asked(
    world: World, personas: Personas
) -> None:
    first = publish(world, {"a": "red", "b": "red", "c": "red"})
    act(personas.alice, "approve_build", buildId=first.pk)
    build = publish(world, {"a": "blue", "b": "red", "c": "red"}, branch="one", target="main")
    assert asked(build) == ["Bob"]
    Screenshot.objects.filter(build=build, story_id="b").update(diff_state="changed")
    assert asked(build) == ["Bob", "Carol"]


def test_a_large_file_is_searched_for_a_limited_number_of_paths() -> None:
    text = "\n".join(f"/src/{number}/**/*.tsx @a{number}" for number in range(10_000))
    rules = parse_code_owners(text)
    titles = {f"s{number}": "" for number in range(30)}
    paths = {story: f"src/{number}/b/c.tsx" for number, story in enumerate(titles)}
    found = find_owners(titles, paths, rules, {})
    assert found == [f"@a{number}" for number in range(30)]
    assert MOST_PATHS <= 1000


def test_the_page_maps_names_and_suggests_members(world: World, personas: Personas) -> None:
    OwnerMember.objects.all().delete()
    client: Client = signed_in(personas.alice)
    url = f"/repositories/{world.repository.pk}/owners"
    page = text_of(client, url)
    assert page.count("Suggested; save to confirm") == 1
    assert page.count("No one is asked") == 1
    carol = personas.carol.user.pk
    names = {"members of @bob": "carol@example.com, ", "members of @acme/forms": ""}
    data = {**names, "titleRules": "a\r\nb"}
    assert "The owners were saved." in client.post(url, data, follow=True).content.decode()
    assert list(OwnerMember.objects.values_list("name", "user")) == [("@bob", carol)]
    assert CodeOwners.objects.get().title_rules == "a\nb"
    entry = AuditEntry.objects.filter(verb="owners.changed").latest("at")
    assert entry.after == {"titleRules": "a\nb", "members": {"@bob": ["carol@example.com"]}}
    assert signed_in(personas.bob).get(url).status_code == 403
    assert signed_in(personas.mallory).get(url).status_code == 404


def test_only_members_are_behind_a_name(world: World, personas: Personas) -> None:
    members = {"@bob": [personas.mallory.user.email]}
    payload = {"repoId": world.repository.pk, "titleRules": "", "members": members}
    with pytest.raises(InvalidInputError, match="is not the email address of a member"):
        act(personas.alice, "set_owners", **payload)
    with pytest.raises(ForbiddenError):
        act(personas.bob, "set_owners", **payload)
    assert OwnerMember.objects.filter(name="@bob").get().user == personas.bob.user
