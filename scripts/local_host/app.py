"""The application of the local Git provider."""

from starlette.applications import Starlette
from starlette.middleware import Middleware

from scripts.local_host.control import Control
from scripts.local_host.faults import Fault, FaultInjection
from scripts.local_host.hooks import Hooks
from scripts.local_host.memory import MemoryWorld
from scripts.local_host.pages import Pages
from scripts.local_host.rest import LARGEST_PAGE, Rest


def create_application(
    address: str, world: MemoryWorld, largest_page: int = LARGEST_PAGE
) -> Starlette:
    """Create the host for the URL ``address``; lists have pages of ``largest_page``."""
    faults: list[Fault] = []
    hooks = Hooks(world, address)
    return Starlette(
        routes=[
            *Control(world, hooks, faults).routes(),
            *Rest(world, address, largest_page).routes(),
            *Pages(world, address).routes(),
        ],
        middleware=[Middleware(FaultInjection, faults=faults)],
    )
