"""A fake of the adapter's part of GitLab's REST API, with a world in memory.

Built from GitLab's OpenAPI file and documentation: old names redirect reads and reject writes,
setting the same state again is rejected, commits of forks accept statuses only in the fork.
"""

import math
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from scripts.local_host.memory import MemoryHost, MemoryWorld
from scripts.local_host.memory.state import StoredRepository
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from visual_review.hosts.errors import (
    HostAccessError,
    HostBusyError,
    HostMissingError,
    HostResponseError,
)
from visual_review.hosts.port import (
    HostPerson,
    HostPullRequest,
    HostRepository,
    HostStatus,
    StatusState,
)
from visual_review.kernel.clock import now

PAGE: Final = 3
OUR_ID, OTHER_ID = 7, 8
STATES: Final = {"opened": "open", "closed": "closed", "merged": "merged"}
MEANINGS: Final[dict[str, StatusState]] = {
    "pending": "pending",
    "running": "pending",
    "success": "success",
    "failed": "failure",
    "canceled": "error",
}
Row = dict[str, Any]
Call = Callable[[Request], Awaitable[Response]]


class GitLabServer:
    """``set_states`` are the posted states, with GitLab's names."""

    def __init__(self, world: MemoryWorld) -> None:
        self.world = world
        self.set_states: dict[tuple[int, str, str], str] = {}
        # Statuses of forks are separate: the world has no repositories of forks.
        self.fork_statuses: list[tuple[int, str, HostStatus]] = []
        self.forks: dict[str, int] = {}
        self.closed_forks: set[int] = set()

    def application(self) -> Starlette:
        project = "/api/v4/projects/{id}"
        requests, commits = f"{project}/merge_requests", f"{project}/repository/commits/{{sha}}"
        calls: list[tuple[str, str, Call]] = [
            ("GET", "/api/v4/user", self.user),
            ("GET", "/api/v4/projects", self.projects),
            ("GET", "/api/v4/groups", self.groups),
            ("GET", "/api/v4/groups/{id}/members/all", self.members),
            ("GET", f"{project}/repository/branches/{{branch:path}}", self.branch),
            ("GET", requests, self.merge_requests),
            ("GET", f"{requests}/{{iid:int}}", self.merge_request),
            ("GET", f"{requests}/{{iid:int}}/notes", self.notes),
            ("POST", f"{requests}/{{iid:int}}/notes", self.add_note),
            ("PUT", f"{requests}/{{iid:int}}/notes/{{note}}", self.edit_note),
            ("GET", f"{commits}/merge_requests", self.requests_of_commit),
            ("POST", f"{project}/statuses/{{sha}}", self.set_status),
            # Starlette decodes the slash of a name before matching the path.
            ("GET", "/api/v4/projects/{id:path}", self.project),
        ]
        return Starlette(
            routes=[
                Route(path, _with_error_responses(call), methods=[how]) for how, path, call in calls
            ]
        )

    async def user(self, request: Request) -> Response:
        return JSONResponse({"id": OUR_ID, "username": self._host(request).get_identity().name})

    async def groups(self, request: Request) -> Response:
        rows = [
            {"id": int(group.id.removeprefix("groups/")), "full_path": group.name}
            for group in self._host(request).list_groups()
            if group.id.startswith("groups/")
        ]
        return _page(request, rows)

    async def members(self, request: Request) -> Response:
        group_id = f"groups/{request.path_params['id']}"
        # Called for the faults of the host, and for the error of a missing group.
        self._host(request).list_members(group_id, 1)
        with self.world.locked() as state:
            _, members = state.groups[group_id]
        return _page(request, [_member(one) for one in members])

    async def projects(self, request: Request) -> Response:
        assert request.query_params["pagination"] == "keyset"
        rows = [_project(one) for one in self._host(request).list_repositories()]
        after = int(request.query_params.get("id_after", "0"))
        rest = sorted((row for row in rows if row["id"] > after), key=lambda row: row["id"])
        headers = {}
        if len(rest) > PAGE:
            following = request.url.include_query_params(id_after=rest[PAGE - 1]["id"])
            headers["Link"] = f'<{following}>; rel="next"'
        return JSONResponse(rest[:PAGE], headers=headers)

    async def project(self, request: Request) -> Response:
        wanted: str = request.path_params["id"]
        if wanted.isdecimal():
            fork = next((name for name, fork in self.forks.items() if fork == int(wanted)), None)
            if fork is not None:
                return JSONResponse({"id": int(wanted), "path_with_namespace": fork})
            return JSONResponse(_project(self._host(request).get_repository_by_id(wanted)))
        seen = self._host(request).get_repository(wanted)
        if seen.full_name.lower() != wanted.lower():
            return RedirectResponse(f"/api/v4/projects/{seen.id}", 301)
        return JSONResponse(_project(seen))

    async def branch(self, request: Request) -> Response:
        stored, branch = self._stored(request), request.path_params["branch"]
        if not self._host(request).has_branch(stored.seen.full_name, branch):
            raise HostMissingError("404 Branch Not Found")
        return JSONResponse({"name": branch})

    async def merge_requests(self, request: Request) -> Response:
        stored = self._stored(request)
        wanted = STATES[request.query_params["state"]]
        pulls = [one for one in stored.pull_requests.values() if one.state == wanted]
        return _page(request, [self._merge_request(stored, one) for one in pulls])

    async def merge_request(self, request: Request) -> Response:
        stored = self._stored(request)
        pull = stored.pull_request(request.path_params["iid"])
        return JSONResponse(self._merge_request(stored, pull))

    async def requests_of_commit(self, request: Request) -> Response:
        stored, sha = self._stored(request), request.path_params["sha"]
        numbers = [number for number, commits in stored.commits.items() if sha in commits]
        if not numbers:
            raise HostMissingError("404 Commit Not Found")
        pulls = [stored.pull_requests[number] for number in sorted(numbers, reverse=True)]
        return _page(request, [self._merge_request(stored, one) for one in pulls])

    async def set_status(self, request: Request) -> Response:
        given, sha = await request.json(), request.path_params["sha"]
        project = int(request.path_params["id"])
        status = HostStatus(
            given["name"], MEANINGS[given["state"]], given["description"], given["target_url"]
        )
        key = (project, sha, given["name"])
        if project in self.closed_forks:
            return JSONResponse({"message": "403 Forbidden"}, 403)
        if project not in self.forks.values() and self._is_of_fork(self._stored(request), sha):
            raise HostMissingError("404 References for commit Not Found")
        if not _is_allowed_transition(self.set_states.get(key), given["state"]):
            message = f"Cannot transition status via :enqueue from :{self.set_states[key]}"
            return JSONResponse({"message": message}, 400)
        self.set_states[key] = given["state"]
        if project in self.forks.values():
            self.fork_statuses.append((project, sha, status))
        else:
            name = self._stored(request).seen.full_name
            self._host(request).set_status(name, sha, status)
        return JSONResponse(_status(1, given["state"], status), 201)

    async def notes(self, request: Request) -> Response:
        stored, number = self._stored(request), request.path_params["iid"]
        written = self.world.comments_of(stored.seen.full_name, number)
        return _page(request, [self._note(one.id, one.author, one.body) for one in written])

    async def add_note(self, request: Request) -> Response:
        stored, body = self._stored(request), (await request.json())["body"]
        number = request.path_params["iid"]
        added = self._host(request).add_comment(stored.seen.full_name, number, body)
        return JSONResponse(self._note(added.id, self.world.login, body), 201)

    async def edit_note(self, request: Request) -> Response:
        stored, body = self._stored(request), (await request.json())["body"]
        number, note = request.path_params["iid"], request.path_params["note"]
        written = self.world.comments_of(stored.seen.full_name, number)
        if any(one.id == note and one.author != self.world.login for one in written):
            return JSONResponse({"message": "403 Forbidden"}, 403)
        self._host(request).edit_comment(stored.seen.full_name, number, note, body)
        return JSONResponse(self._note(note, self.world.login, body))

    def _note(self, number: str, author: str, body: str) -> Row:
        ours = author == self.world.login
        return {"id": int(number), "body": body, "author": {"id": OUR_ID if ours else OTHER_ID}}

    def _merge_request(self, stored: StoredRepository, pull: HostPullRequest) -> Row:
        states = {ours: theirs for theirs, ours in STATES.items()}
        source: int | None = int(stored.seen.id)
        if pull.head_repository != stored.seen.full_name:
            source = self.forks.setdefault(pull.head_repository, 900 + len(self.forks))
        return {
            "iid": pull.number,
            "title": pull.title,
            "state": states[pull.state],
            "source_branch": pull.head_branch,
            "target_branch": pull.base_branch,
            "source_project_id": source,
            "target_project_id": int(stored.seen.id),
            "sha": pull.head_commit,
            "merge_commit_sha": pull.merge_commit or None,
            "squash_commit_sha": None,
            "updated_at": pull.updated_at.isoformat() if pull.updated_at else None,
        }

    def _is_of_fork(self, stored: StoredRepository, sha: str) -> bool:
        return any(
            sha in commits and stored.pull_requests[number].head_repository != stored.seen.full_name
            for number, commits in stored.commits.items()
        )

    def _stored(self, request: Request) -> StoredRepository:
        """Find the repository only by its id: GitLab rejects a write with an old name."""
        self._host(request).get_repository_by_id(request.path_params["id"])
        with self.world.locked() as state:
            return state.by_id(request.path_params["id"])

    def _host(self, request: Request) -> MemoryHost:
        return MemoryHost(self.world, request.headers["Authorization"].removeprefix("Bearer "))


def _is_allowed_transition(current: str | None, wanted: str) -> bool:
    """A finished pipeline may restart; a running one does not become pending again."""
    if wanted == "pending":
        return current not in {"pending", "running"}
    return wanted != "running" or current != "running"


def _with_error_responses(call: Call) -> Call:
    async def handle(request: Request) -> Response:
        try:
            return await call(request)
        except HostAccessError as error:
            return JSONResponse({"message": f"401 Unauthorized {error}"}, 401)
        except HostMissingError as error:
            return JSONResponse({"message": f"404 Not Found {error}"}, 404)
        except HostBusyError as error:
            return _busy(error)
        except HostResponseError:
            return HTMLResponse("<!doctype html><title>Sign in</title>")

    return handle


def _busy(error: HostBusyError) -> Response:
    if error.until is None:
        return JSONResponse({"message": "500 Internal Server Error"}, 500)
    # Only the reset time is sent here, no Retry-After.
    reset = math.ceil(error.until.timestamp())
    assert error.until > now()
    headers = {"RateLimit-Remaining": "0", "RateLimit-Reset": str(reset)}
    return JSONResponse({"message": "Retry later"}, 429, headers)


def _page(request: Request, rows: Sequence[Row]) -> Response:
    page = int(request.query_params.get("page", "1"))
    headers = {}
    if page * PAGE < len(rows):
        following = request.url.include_query_params(page=page + 1)
        headers["Link"] = f'<{following}>; rel="next"'
    return JSONResponse(list(rows[(page - 1) * PAGE : page * PAGE]), headers=headers)


def _member(person: HostPerson) -> Row:
    return {
        "id": OTHER_ID,
        "username": person.login,
        "name": person.name,
        "public_email": person.email or None,
        "email": None,
        "avatar_url": person.avatar or None,
    }


def _project(seen: HostRepository) -> Row:
    return {
        "id": int(seen.id),
        "path_with_namespace": seen.full_name,
        "default_branch": seen.default_branch,
        "visibility": "private" if seen.private else "public",
        "archived": seen.archived,
    }


def _status(number: int, state: str, status: HostStatus) -> Row:
    return {
        "id": number,
        "name": status.context,
        "status": state,
        "description": status.description,
        "target_url": status.url,
    }
