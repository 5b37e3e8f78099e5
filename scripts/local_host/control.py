"""What tests and the demo do at the host, and the troubles they give it; never part of Gitea."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any, Final

from pydantic_core import to_jsonable_python
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from scripts.local_host.faults import Trouble
from scripts.local_host.hooks import Hooks
from visual_review.hosts.errors import HostError
from visual_review.hosts.memory import MemoryWorld

# What people do at a host, by the names of MemoryWorld.
DEEDS: Final = frozenset(
    {
        "add_repository",
        "rename_repository",
        "transfer_repository",
        "remove_repository",
        "open_pull_request",
        "push",
        "retarget",
        "close_pull_request",
        "reopen_pull_request",
        "merge_pull_request",
        "delete_branch",
        "write_comment",
        "delete_comment",
        "comments_of",
        "all_statuses_of",
        "revoke",
        "calm",
    }
)

Call = Callable[[Request], Awaitable[Response]]


class Control:
    def __init__(self, world: MemoryWorld, hooks: Hooks, troubles: list[Trouble]) -> None:
        self._world = world
        self._hooks = hooks
        self._troubles = troubles

    def routes(self) -> list[Route]:
        calls: list[tuple[str, Call]] = [
            ("do/{deed}", self.do),
            ("hook", self.hook),
            ("deliveries", self.deliveries),
            ("deliveries/{id}/send", self.send),
            ("troubles", self.troubles),
        ]
        return [
            Route(f"/control/{path}", _not_from_pages(call), methods=["POST"])
            for path, call in calls
        ]

    async def do(self, request: Request) -> Response:
        deed = request.path_params["deed"]
        if deed not in DEEDS:
            return JSONResponse({"message": f"Nobody does '{deed}' here."}, 404)
        try:
            result = getattr(self._world, deed)(**await request.json())
        except (HostError, TypeError) as error:
            return JSONResponse({"message": str(error)}, 422)
        await self._hooks.tell()
        return JSONResponse(to_jsonable_python(result))

    async def hook(self, request: Request) -> Response:
        given = await request.json()
        self._hooks.point(given["url"], given["secret"], hold=given.get("hold", False))
        return JSONResponse(None)

    async def deliveries(self, request: Request) -> Response:  # noqa: ARG002 - Starlette's form.
        return JSONResponse([asdict(delivery) for delivery in self._hooks.deliveries])

    async def send(self, request: Request) -> Response:
        return JSONResponse(await self._hooks.send(request.path_params["id"]))

    async def troubles(self, request: Request) -> Response:
        """Have these, in place of those there were, or keep them where none are given.

        Answers how many calls those there were befell.
        """
        given: list[dict[str, Any]] | None = await request.json()
        befallen = sum(trouble.done for trouble in self._troubles)
        if given is not None:
            self._troubles[:] = [Trouble(**one) for one in given]
        return JSONResponse(befallen)


def _not_from_pages(call: Call) -> Call:
    """Browsers say which page a request comes from; none has any business here."""

    async def answer(request: Request) -> Response:
        if "Origin" in request.headers:
            return JSONResponse({"message": "Not from pages."}, 403)
        return await call(request)

    return answer
