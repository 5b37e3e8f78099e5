"""A hash claims no image: a repository shows only images whose bytes its own builds sent."""

import pytest

from tests.support.case import Case
from tests.support.ci.publish_client import Job, connect, make_image, problem_of, put
from tests.support.personas import Personas
from visual_review.builds.baselines.sets import Entry
from visual_review.builds.baselines.store import VersionDetails, create_baseline_version
from visual_review.builds.models import Baseline, Build, Image, Screenshot
from visual_review.builds.publishing.verification import verify_images
from visual_review.builds.states import PROCESSING
from visual_review.builds.variants import VariantKey
from visual_review.kernel.blobs import blob_store

SECRET = make_image("red")
OWN = make_image("blue")


@pytest.fixture
def victim(personas: Personas) -> Job:
    job = connect(personas.alice, "acme/secret")
    job.publish({"launch": SECRET})
    return job


@pytest.fixture
def attacker(personas: Personas, victim: Job) -> Job:
    assert victim.repository.organization_id == personas.alice.organization.id
    return connect(personas.alice, "acme/public")


def announce(job: Job, build: dict[str, object]) -> list[dict[str, str]]:
    uploads: list[dict[str, str]] = job.announce(build, SECRET.shot("stolen"))["uploads"]
    return uploads


def image_of(build: dict[str, object]) -> Image | None:
    return Screenshot.objects.select_related("image").get(build_id=build["id"]).image


def test_the_hash_of_another_repository_s_image_must_be_proven_by_its_bytes(attacker: Job) -> None:
    build = attacker.create()
    assert [upload["sha256"] for upload in announce(attacker, build)] == [SECRET.sha256]
    assert image_of(build) is None
    problem_of(attacker.call("POST", f"builds/{build['id']}/finish", {"shard": 1}), 409)
    assert image_of(build) is None


def test_other_bytes_do_not_prove_it(attacker: Job) -> None:
    build = attacker.create()
    problem_of(put(announce(attacker, build)[0]["url"], OWN.data), 400)
    assert image_of(build) is None


def test_the_size_of_another_repository_s_image_is_not_revealed(attacker: Job) -> None:
    shot = SECRET.shot("stolen") | {"width": 1, "height": 1}
    assert attacker.announce(attacker.create(), shot)["uploads"]


def test_processing_links_no_image_whose_bytes_were_not_sent(attacker: Job) -> None:
    build = attacker.create()
    announce(attacker, build)
    # As if remote storage had listed an upload already deleted before verification.
    Build.objects.filter(pk=build["id"]).update(status=PROCESSING)
    verify_images(Build.objects.get(pk=build["id"]))
    assert image_of(build) is None
    assert "never uploaded" in Screenshot.objects.get(build_id=build["id"]).message


def test_bytes_of_both_repositories_are_stored_once(attacker: Job) -> None:
    build = attacker.publish({"stolen": SECRET})
    image = Image.objects.get()
    assert image_of(build) == image
    assert len(list(blob_store().keys("images"))) == 1


def test_a_repository_knows_the_images_of_its_own_builds_and_baselines(
    case: Case, victim: Job
) -> None:
    with case("an earlier build, of another branch and product"):
        assert announce(victim, victim.create(branch="other", productKey="docs")) == []
    with case("a baseline whose builds were deleted"):
        baseline = Baseline.objects.create(
            product=Build.objects.earliest("number").product, branch="kept"
        )
        entry = Entry(Image.objects.get().pk, "Launch", "")
        create_baseline_version(
            baseline,
            {VariantKey("launch", "light", "desktop"): entry},
            VersionDetails("approval", None, "user_1", "Alice"),
        )
        Screenshot.objects.all().delete()
        assert announce(victim, victim.create()) == []
    with case("nothing of it is left"):
        Screenshot.objects.all().delete()
        baseline.entries.all().delete()
        assert announce(victim, victim.create()) != []
