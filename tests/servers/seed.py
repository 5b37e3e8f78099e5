"""Fills the service that the environment names: ``python -m tests.servers.seed``."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "visual_review.config.settings")
django.setup()

from tests.personas import make_personas  # noqa: E402 - Models need Django first.
from tests.worlds import World  # noqa: E402

if __name__ == "__main__":
    world = World(make_personas().alice)
    world.publish({"button--primary": "red", "card--plain": "blue"})
    world.publish({"button--primary": "green", "card--plain": "blue"}, "feature", target="main")
