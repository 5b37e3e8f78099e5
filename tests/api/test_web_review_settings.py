"""Settings of a repository's comparisons and decisions, on its settings page."""

from tests.support.pages import signed_in, text_of
from tests.support.personas import Personas
from tests.support.worlds import World


def test_the_settings_page_sets_whether_faint_changes_count(personas: Personas) -> None:
    world = World(personas.alice)
    client = signed_in(personas.alice)
    url = f"/repositories/{world.repository.id}"
    assert "Ignore faint changes" in text_of(client, f"{url}/settings")
    client.post(f"{url}/faint-changes", {"productKey": "default", "count": "no"})
    page = text_of(client, f"{url}/settings")
    assert "Count faint changes" in page
    assert "The setting was saved." in page
    client.post(f"{url}/faint-changes", {"productKey": "default", "count": "yes"})
    assert "Ignore faint changes" in text_of(client, f"{url}/settings")


def test_the_settings_page_sets_whether_approvals_carry_over(personas: Personas) -> None:
    world = World(personas.alice)
    client = signed_in(personas.alice)
    url = f"/repositories/{world.repository.id}"
    page = text_of(client, f"{url}/settings")
    assert "Review each pull request</button>" in page
    assert "Switching affects builds that are compared from then on." in page
    client.post(f"{url}/carry-over", {"across": "no"})
    page = text_of(client, f"{url}/settings")
    assert "Carry approvals over</button>" in page
    assert "The setting was saved. It applies to builds from now on." in page
    reviewer = text_of(signed_in(personas.bob), f"{url}/settings")
    assert ">Not carried over</span>" in reviewer
    assert "Carry approvals over</button>" not in reviewer
    client.post(f"{url}/carry-over", {"across": "yes"})
    assert ">Carried over</span>" in text_of(client, f"{url}/settings")
