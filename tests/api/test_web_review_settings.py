"""Settings of a repository's comparisons and decisions, on its settings page."""

import re

from tests.support.pages import signed_in, text_of
from tests.support.personas import Personas
from tests.support.worlds import World
from visual_review.repositories.boolean_settings import BOOLEAN_SETTINGS


def test_an_automatic_axis_stays_automatic_when_the_other_is_chosen(personas: Personas) -> None:
    world = World(personas.alice)
    client = signed_in(personas.alice)
    url = f"/repositories/{world.repository.id}"
    page = text_of(client, f"{url}/settings")
    assert page.count("all, until detected") == 2
    assert page.count('type="checkbox" name="devices"') == page.count('name="devices" value="') == 3
    shown = {"themes": ["dark"], "devices": ["phone", "tablet", "desktop"]}
    client.post(f"{url}/capture", {"productKey": "default", **shown})
    product = world.repository.products.get()
    assert (product.themes, product.devices) == (["dark"], None)
    page = text_of(client, f"{url}/settings")
    assert page.count("chosen here") == page.count("all, until detected") == 1
    # What was chosen stays chosen, even if the boxes are as before.
    client.post(f"{url}/capture", {"productKey": "default", **shown})
    product.refresh_from_db()
    assert (product.themes, product.devices) == (["dark"], None)
    client.post(f"{url}/capture", {"productKey": "default", "devices": shown["devices"]})
    product.refresh_from_db()
    assert (product.themes, product.devices) == (None, None)


def test_the_index_leads_to_each_section(personas: Personas) -> None:
    world = World(personas.alice)
    page = text_of(signed_in(personas.alice), f"/repositories/{world.repository.id}/settings")
    index = page[
        page.index("settings__index") : page.index("</nav>", page.index("settings__index"))
    ]
    targets = re.findall(r'href="#([^"]+)"', index)
    assert len(targets) == 9 + len(BOOLEAN_SETTINGS)
    assert all(f'id="{target}"' in page for target in targets)
