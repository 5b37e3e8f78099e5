"""Which repository an event is about, and whether its pull request comes from a fork."""

from tests.support.case import Case
from tests.support.host_accounts import connect_account
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.hosts.port import HostPullRequest
from visual_review.jobs.hosts.calls.pull_request_snapshots import to_snapshot
from visual_review.repositories.deliveries import repository_of_event
from visual_review.repositories.models import Repository

# Names that only the case of a-z makes equal, and names that folding makes equal by mistake.
SAME = (("acme/web", "ACME/Web"), ("acme/É", "Acme/É"))
OTHERS = (
    ("straße/web", "strasse/web"),
    ("kelvin/web", "\u212aelvin/web"),
    ("acme/é", "acme/É"),
    ("acme/web", "acme/site"),
)


def fork_name(name: str, head: str) -> str:
    pull = HostPullRequest(1, "Buttons", "open", "feature", head, "1" * 40, "main")
    return to_snapshot(Repository(full_name=name), pull).head_repository


def test_only_the_repository_itself_is_no_fork(case: Case) -> None:
    for name, head in SAME:
        with case(head):
            assert fork_name(name, head) == ""
    for name, head in OTHERS:
        with case(ascii(head)):
            assert fork_name(name, head) == head


def test_an_event_is_of_the_repository_with_its_name(case: Case, personas: Personas) -> None:
    account = connect_account(personas.bob)
    repository = World(personas.bob, "x/y").repository
    for is_same, names in ((True, SAME), (False, OTHERS)):
        for name, reported in names:
            with case(ascii(reported)):
                Repository.objects.filter(pk=repository.pk).update(
                    full_name=name, host_account=account, host_id=""
                )
                found = repository_of_event(account, "", reported)
                assert (found == repository) is is_same
