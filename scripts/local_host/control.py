"""The control interface for tests and the demo: operations and faults; not part of Gitea."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any, Final

from pydantic_core import to_jsonable_python
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from scripts.local_host.faults import Fault
from scripts.local_host.hooks import Hooks
from scripts.local_host.memory import MemoryWorld
from visual_review.hosts.errors import HostError

# Actions of people at a Git provider: methods of MemoryWorld.
OPERATIONS: Final = frozenset(
    {
        "add_repository",
        "rename_repository",
        "transfer_repository",
        "remove_repository",
        "open_pull_request",
        "push",
        "change_base_branch",
        "close_pull_request",
        "reopen_pull_request",
        "merge_pull_request",
        "delete_branch",
        "write_comment",
        "delete_comment",
        "comments_of",
        "all_statuses_of",
        "revoke",
        "clear_faults",
    }
)

Call = Callable[[Request], Awaitable[Response]]


class Control:
    def __init__(self, world: MemoryWorld, hooks: Hooks, faults: list[Fault]) -> None:
        self._world = world
        self._hooks = hooks
        self._faults = faults

    def routes(self) -> list[Route]:
        calls: list[tuple[str, Call]] = [
            ("do/{operation}", self.do),
            ("hook", self.hook),
            ("deliveries", self.deliveries),
            ("deliveries/{id}/send", self.send),
            ("faults", self.faults),
        ]
        return [
            Route(f"/control/{path}", _reject_pages(call), methods=["POST"]) for path, call in calls
        ]

    async def do(self, request: Request) -> Response:
        operation = request.path_params["operation"]
        if operation not in OPERATIONS:
            return JSONResponse({"message": f"There is no operation '{operation}'."}, 404)
        try:
            result = getattr(self._world, operation)(**await request.json())
        except (HostError, TypeError) as error:
            return JSONResponse({"message": str(error)}, 422)
        await self._hooks.deliver_events()
        return JSONResponse(to_jsonable_python(result))

    async def hook(self, request: Request) -> Response:
        given = await request.json()
        self._hooks.point(given["url"], given["secret"], hold=given.get("hold", False))
        return JSONResponse(None)

    async def deliveries(self, request: Request) -> Response:  # noqa: ARG002 - Starlette's form.
        return JSONResponse([asdict(delivery) for delivery in self._hooks.deliveries])

    async def send(self, request: Request) -> Response:
        return JSONResponse(await self._hooks.send(request.path_params["id"]))

    async def faults(self, request: Request) -> Response:
        """Replace the faults by the request's, or keep the faults if the body is null.

        Returns how many calls the previous faults affected.
        """
        given: list[dict[str, Any]] | None = await request.json()
        affected = sum(fault.injected for fault in self._faults)
        if given is not None:
            self._faults[:] = [Fault(**one) for one in given]
        return JSONResponse(affected)


def _reject_pages(call: Call) -> Call:
    """Reject requests from pages, recognized by the browser's Origin header."""

    async def wrapper(request: Request) -> Response:
        if "Origin" in request.headers:
            return JSONResponse({"message": "Pages may not call this."}, 403)
        return await call(request)

    return wrapper
