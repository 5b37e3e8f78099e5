"""Puts the parts of the local host together."""

from starlette.applications import Starlette
from starlette.middleware import Middleware

from scripts.local_host.control import Control
from scripts.local_host.faults import Trouble, Troubled
from scripts.local_host.hooks import Hooks
from scripts.local_host.pages import Pages
from scripts.local_host.rest import LARGEST_PAGE, Rest
from visual_review.hosts.memory import MemoryWorld


def application(address: str, world: MemoryWorld, largest_page: int = LARGEST_PAGE) -> Starlette:
    """The host that people reach at ``address``; its lists have pages of ``largest_page``."""
    troubles: list[Trouble] = []
    hooks = Hooks(world, address)
    return Starlette(
        routes=[
            *Control(world, hooks, troubles).routes(),
            *Rest(world, address, largest_page).routes(),
            *Pages(world, address).routes(),
        ],
        middleware=[Middleware(Troubled, troubles=troubles)],
    )
