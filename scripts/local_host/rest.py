"""The calls of Gitea's REST interface made by the service, on top of the in-memory host."""

import json
import math
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from scripts.local_host import shapes
from scripts.local_host.memory import MemoryHost, MemoryWorld
from scripts.local_host.memory.state import WrittenComment
from visual_review.hosts.errors import (
    HostAccessError,
    HostBusyError,
    HostError,
    HostMissingError,
)
from visual_review.hosts.port import HostRepository, HostStatus
from visual_review.kernel.clock import now

PREFIX: Final = "/api/v1"
REPO: Final = f"{PREFIX}/repos/{{owner}}/{{name}}"
# The maximum of Gitea's default settings.
LARGEST_PAGE: Final = 50

Call = Callable[[Request], Awaitable[Response]]


class Rest:
    """One method per call; each responds like Gitea."""

    def __init__(self, world: MemoryWorld, address: str, largest_page: int = LARGEST_PAGE) -> None:
        self._world = world
        self._address = address
        self._largest_page = largest_page

    def routes(self) -> list[Route]:
        calls: list[tuple[str, str, Call]] = [
            ("GET", f"{PREFIX}/user", self.user),
            ("GET", f"{PREFIX}/user/repos", self.repositories),
            ("GET", f"{PREFIX}/user/orgs", self.organizations),
            ("GET", f"{PREFIX}/orgs/{{name}}/teams", self.teams),
            ("GET", f"{PREFIX}/{{kind}}/{{name}}/members", self.members),
            ("GET", f"{PREFIX}/repositories/{{id}}", self.repository_by_id),
            ("GET", REPO, self.repository),
            ("GET", f"{REPO}/branches/{{branch:path}}", self.branch),
            ("GET", f"{REPO}/pulls", self.pull_requests),
            ("GET", f"{REPO}/pulls/{{number:int}}", self.pull_request),
            ("GET", f"{REPO}/pulls/{{number:int}}/commits", self.commits),
            ("POST", f"{REPO}/statuses/{{commit}}", self.set_status),
            ("GET", f"{REPO}/issues/{{number:int}}/comments", self.comments),
            ("POST", f"{REPO}/issues/{{number:int}}/comments", self.add_comment),
            ("PATCH", f"{REPO}/issues/comments/{{id:int}}", self.edit_comment),
        ]
        return [Route(path, _handle_errors(call), methods=[method]) for method, path, call in calls]

    async def user(self, request: Request) -> Response:
        login = self._host(request).get_identity().name
        return JSONResponse(shapes.user(login, self._world.login))

    async def repositories(self, request: Request) -> Response:
        seen = list(self._host(request).list_repositories())
        return self._page(request, [shapes.repository(one, self._address) for one in seen])

    async def organizations(self, request: Request) -> Response:
        groups = list(self._host(request).list_groups())
        rows = [shapes.organization(group) for group in groups if group.id.startswith("orgs/")]
        return self._page(request, rows)

    async def teams(self, request: Request) -> Response:
        prefix = f"{request.path_params['name']}/"
        groups = list(self._host(request).list_groups())
        rows = [
            {"id": int(group.id.removeprefix("teams/")), "name": group.name.removeprefix(prefix)}
            for group in groups
            if group.name.startswith(prefix)
        ]
        return self._page(request, rows)

    async def members(self, request: Request) -> Response:
        group_id = f"{request.path_params['kind']}/{request.path_params['name']}"
        # Called for the faults of the host, and for the error of a missing group.
        self._host(request).list_members(group_id, 1)
        with self._world.locked() as state:
            _, members = state.groups[group_id]
        return self._page(request, [shapes.person(member) for member in members])

    async def repository_by_id(self, request: Request) -> Response:
        seen = self._host(request).get_repository_by_id(request.path_params["id"])
        return JSONResponse(shapes.repository(seen, self._address))

    async def repository(self, request: Request) -> Response:
        return JSONResponse(shapes.repository(self._named(request), self._address))

    async def branch(self, request: Request) -> Response:
        seen, branch = self._named(request), request.path_params["branch"]
        if not self._host(request).has_branch(seen.full_name, branch):
            raise HostMissingError("The branch does not exist.")
        return JSONResponse({"name": branch})

    async def pull_requests(self, request: Request) -> Response:
        seen = self._named(request)
        pulls = list(self._host(request).list_open_pull_requests(seen.full_name))
        return self._page(request, [shapes.pull_request(one, seen, self._address) for one in pulls])

    async def pull_request(self, request: Request) -> Response:
        seen = self._named(request)
        pull = self._host(request).get_pull_request(seen.full_name, request.path_params["number"])
        return JSONResponse(shapes.pull_request(pull, seen, self._address))

    async def commits(self, request: Request) -> Response:
        seen = self._named(request)
        with self._world.locked() as state:
            known = state.by_name(seen.full_name).commits.get(request.path_params["number"])
        if known is None:
            raise HostMissingError("There is no such pull request.")
        return self._page(request, [{"sha": commit} for commit in reversed(known)])

    async def set_status(self, request: Request) -> Response:
        seen, given = self._named(request), await request.json()
        status = HostStatus(
            given["context"],
            given["state"],
            given.get("description", ""),
            given.get("target_url", ""),
        )
        commit = request.path_params["commit"]
        self._host(request).set_status(seen.full_name, commit, status)
        return JSONResponse(shapes.status(1, status), 201)

    async def comments(self, request: Request) -> Response:
        seen, number = self._named(request), request.path_params["number"]
        # Called for the faults of the host; the world knows the author of each comment.
        self._host(request).find_comment(seen.full_name, number, "")
        written = self._world.comments_of(seen.full_name, number)
        # Gitea returns all comments at once.
        return JSONResponse([shapes.comment(one, self._world.login) for one in written])

    async def add_comment(self, request: Request) -> Response:
        seen, number = self._named(request), request.path_params["number"]
        body = (await request.json())["body"]
        added = self._host(request).add_comment(seen.full_name, number, body)
        written = WrittenComment(added.id, self._world.login, body)
        return JSONResponse(shapes.comment(written, self._world.login), 201)

    async def edit_comment(self, request: Request) -> Response:
        """Find the comment by ID: the path does not have the pull request's number."""
        seen, wanted = self._named(request), str(request.path_params["id"])
        with self._world.locked() as state:
            rows = state.by_name(seen.full_name).comments.items()
            found = [(number, one) for number, all_of in rows for one in all_of if one.id == wanted]
        body = (await request.json())["body"]
        number, existing = found[0] if found else (0, None)
        if existing is not None and existing.author != self._world.login:
            return JSONResponse({"message": "You are not the author of this comment."}, 403)
        self._host(request).edit_comment(seen.full_name, number, wanted, body)
        written = WrittenComment(wanted, self._world.login, body)
        return JSONResponse(shapes.comment(written, self._world.login))

    def _named(self, request: Request) -> HostRepository:
        """Return the repository of the path; raises _MovedError for an earlier name."""
        full_name = f"{request.path_params['owner']}/{request.path_params['name']}"
        seen = self._host(request).get_repository(full_name)
        if seen.full_name.lower() != full_name.lower():
            raise _MovedError(seen.full_name, full_name)
        return seen

    def _page(self, request: Request, rows: Sequence[dict[str, Any]]) -> Response:
        page, limit = self._page_and_limit(request)
        headers = {"X-Total-Count": str(len(rows))}
        if page * limit < len(rows):
            following = request.url.include_query_params(page=page + 1)
            headers["Link"] = f'<{following}>; rel="next"'
        return JSONResponse(list(rows[(page - 1) * limit : page * limit]), headers=headers)

    def _page_and_limit(self, request: Request) -> tuple[int, int]:
        """Return the number of the page, and the number of its rows."""
        page = int(request.query_params.get("page", "1"))
        limit = int(request.query_params.get("limit", str(self._largest_page)))
        return max(page, 1), min(max(limit, 1), self._largest_page)

    def _host(self, request: Request) -> MemoryHost:
        token = request.headers.get("Authorization", "").partition(" ")[2]
        return MemoryHost(self._world, token)


class _MovedError(Exception):
    def __init__(self, name: str, old_name: str) -> None:
        super().__init__(name)
        self.name, self.old_name = name, old_name


def _handle_errors(call: Call) -> Call:
    async def wrapper(request: Request) -> Response:
        try:
            return await call(request)
        except _MovedError as moved:
            path = request.url.path.replace(f"/{moved.old_name}", f"/{moved.name}", 1)
            return RedirectResponse(str(request.url.replace(path=path)), 307)
        except HostError as error:
            return _error_response(error)
        except (KeyError, json.JSONDecodeError) as error:
            return JSONResponse({"message": f"Invalid request: {error!r}"}, 422)

    return wrapper


def _error_response(error: HostError) -> Response:
    """Return the HTTP response for an error of the world."""
    match error:
        case HostBusyError(until=None):
            return JSONResponse({"message": str(error)}, 503)
        case HostBusyError(until=datetime() as until):
            wait = max(math.ceil((until - now()).total_seconds()), 0)
            return JSONResponse({"message": str(error)}, 429, {"Retry-After": str(wait)})
        case HostAccessError():
            return JSONResponse({"message": str(error)}, 401)
        case HostMissingError():
            return JSONResponse({"message": str(error)}, 404)
    return HTMLResponse("<!doctype html><title>Sign in</title>")
