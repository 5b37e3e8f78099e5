from tests.support.personas import Personas
from visual_review.actions.dispatch import dispatch
from visual_review.actions.registry import callable_action
from visual_review.repositories.models import Repository


def test_lists_only_the_repositories_of_the_callers_organization(personas: Personas) -> None:
    Repository.objects.create(organization=personas.alice.organization, full_name="acme/web")
    Repository.objects.create(organization=personas.mallory.organization, full_name="evil/web")
    result = dispatch(callable_action("list_repos"), personas.carol.caller, {})
    assert [repo.full_name for repo in result.repos] == ["acme/web"]
