"""Pages make as many queries for much data as for little."""

from collections.abc import Callable

from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.support.pages import signed_in
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.accounts.callers import caller_of_user
from visual_review.accounts.keys import NewKey, create_key
from visual_review.accounts.models import Membership, User
from visual_review.accounts.oauth.client_rules import ClientMetadata
from visual_review.accounts.oauth.clients import register
from visual_review.accounts.oauth.grants import connect
from visual_review.builds.models import Baseline
from visual_review.repositories.models import Product


def test_the_number_of_queries_does_not_grow_with_the_data(personas: Personas) -> None:
    world = World(personas.alice)
    client = signed_in(personas.alice)
    _more(world, 1)
    build = world.publish({"a": "blue", "b": "green"})
    repository = f"/repositories/{world.repository.id}"
    urls: dict[str, Callable[[], str]] = {
        "repositories": lambda: "/repositories",
        "builds": lambda: repository,
        "settings": lambda: f"{repository}/settings",
        "baselines": lambda: f"{repository}/baselines",
        "baseline": lambda: f"/baselines/{Baseline.objects.earliest('id').id}",
        "build": lambda: f"/builds/{build.id}?show=all",
        "keys": lambda: "/keys",
        "members": lambda: "/members",
        "audit": lambda: "/audit",
        "apps": lambda: "/account/apps",
    }

    def count_queries() -> dict[str, int]:
        found = {}
        for name, url in urls.items():
            with CaptureQueriesContext(connection) as queries:
                assert client.get(url()).status_code == 200
            found[name] = len(queries)
        return found

    few = count_queries()
    _more(world, 4)
    build = world.publish({f"s-{number}": "green" for number in range(15)}, branch="new")
    many = count_queries()
    assert many == few
    assert max(few.values()) < 20


def _more(world: World, count: int) -> None:
    """Create more of everything that pages list."""
    for number in range(count):
        name = f"{count}-{number}"
        World(world.persona, f"acme/{name}")
        Product.objects.create(repository=world.repository, key=name)
        world.approve(world.publish({"a": "red"}, branch=name))
        world.approve(world.publish({"a": "green"}, branch=name))
        world.publish({"a": "red"}, branch=name, target="1-0")
        world.publish({"a": "red"}, branch=name, target="1-0")
        create_key(world.persona.caller, NewKey("user", name, []))
        world.act("invite_member", email=f"{name}@example.com", role="viewer")
        user = User.objects.create_user(f"member-{name}@example.com")
        organization = world.persona.organization
        Membership.objects.create(organization=organization, user=user, role="viewer")
        client = register(ClientMetadata(name, ("http://localhost/callback",)))
        for person in (world.persona.user, user):
            connect(caller_of_user(person, organization.id, "web"), client, "read", "read")
