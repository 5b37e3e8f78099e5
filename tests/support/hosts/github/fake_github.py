"""A fake of GitHub with a world in memory: GitHub's own examples, filled in.

Every response is validated with GitHub's published API description before sending.
"""

import copy
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import unquote, urlencode

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from jsonschema_rs import Draft202012Validator
from scripts.local_host.memory import MemoryHost, MemoryWorld, WrittenComment

from tests.support.hosts.adapter import TOKEN
from tests.support.hosts.local_server import ReceivedRequest, Reply, page, reply
from visual_review.hosts.errors import (
    HostAccessError,
    HostBusyError,
    HostError,
    HostMissingError,
    HostResponseError,
)
from visual_review.hosts.port import HostPullRequest, HostRepository, HostStatus
from visual_review.kernel.clock import now

# Smaller than any provider's, so that few items fill several pages.
PAGE = 3
Item = TypeVar("Item")


def failure_reply(failure: HostError, limited: int = 429) -> Reply:
    """Return the provider's error response; ``limited`` is the status for rate limits."""
    match failure:
        case HostAccessError():
            return reply({"message": "Bad credentials"}, 401)
        case HostMissingError():
            return reply({"message": "Not Found"}, 404)
        case HostBusyError(until=None):
            return reply({"message": "Server Error"}, 503)
        case HostBusyError(until=until):
            seconds = math.ceil((until - now()).total_seconds())
            return reply({"message": "Slow down"}, limited, Retry_After=str(max(seconds, 0)))
        case HostResponseError():
            return page("<!doctype html><title>Sign in</title>")
    raise failure


def paged(
    request: ReceivedRequest,
    items: Sequence[Item],
    shown: Callable[[list[Item]], Any],
    size: int = PAGE,
) -> tuple[Any, dict[str, str]]:
    """Return the requested page as ``shown``, and the header with the link to the next page."""
    number = int(request.query.get("page", "1"))
    part = list(items[(number - 1) * size : number * size])
    if number * size >= len(items):
        return shown(part), {}
    query = urlencode({**request.query, "page": number + 1})
    url = f"http://{request.headers['host']}{request.path}?{query}"
    return shown(part), {"Link": f'<{url}>; rel="next", <{url}>; rel="last"'}


class Description:
    """``file`` holds ``operations`` (schema and example of each), ``webhooks`` and ``schemas``."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._validators: dict[str, Draft202012Validator] = {}

    def example(self, operation: str) -> Any:  # noqa: ANN401 - What JSON can say.
        """Return the provider's own example of the response, to be filled in."""
        return copy.deepcopy(self._content["operations"][operation]["example"])

    def status(self, operation: str) -> int:
        return int(self._content["operations"][operation]["status"])

    def require_response(self, operation: str, data: object) -> None:
        """Raise AssertionError unless ``data`` is a valid response by the description."""
        self._require(operation, self._content["operations"][operation]["schema"], data)

    def require_delivery(self, webhook: str, data: object) -> None:
        self._require(webhook, self._content["webhooks"][webhook], data)

    def _require(self, name: str, schema: object, data: object) -> None:
        if name not in self._validators:
            whole = {"schemas": self._content["schemas"], "allOf": [schema]}
            self._validators[name] = Draft202012Validator(to_json_schema(whole))
        faults = [fault.message for fault in self._validators[name].iter_errors(data)]
        assert not faults, f"{name}: {faults[0][:500]}"

    @cached_property
    def _content(self) -> Any:  # noqa: ANN401 - What JSON can say.
        return json.loads(self._file.read_text())


def to_json_schema(schema: Any) -> Any:  # noqa: ANN401 - What JSON can say.
    """Convert a schema of OpenAPI 3.0 to JSON Schema, where ``nullable`` is missing."""
    if isinstance(schema, list):
        return [to_json_schema(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    plain = {key: to_json_schema(part) for key, part in schema.items() if key != "nullable"}
    # A property may have the name ``nullable``; then the value is a schema, not a keyword.
    if schema.get("nullable") is True:
        return {"anyOf": [plain, {"type": "null"}]}
    if isinstance(schema.get("nullable"), Mapping):
        plain["nullable"] = to_json_schema(schema["nullable"])
    return plain


DESCRIPTION = Description(Path(__file__).with_name("description.json"))
ROOT = "/api/v3"
INSTALLATION = "4711"
APP_SECRET = "the secret that GitHub chose"
TRIED_MERGE = "e" * 40
_REPO = "/repos/{owner}/{repo}"
_NUMBERED = re.compile(r"/repositories/(?P<id>[^/]+)(?P<rest>/.*)?")
_FORMER = re.compile(r"/repos/(?P<owner>[^/]+)/(?P<repo>[^/]+)(?P<rest>/.*)?")


class FakeGitHub:
    """``app_key`` is the public key of the app that may request tokens of its installation."""

    def __init__(self, world: MemoryWorld, app_key: RSAPublicKey | None = None) -> None:
        self.world = world
        self.app_key = app_key
        self.tokens_created = 0
        self.suspended = False
        # Private keys of apps confirmed by a person, by the code in GitHub's redirect.
        self.confirmed: dict[str, str] = {}

    def handle(self, request: ReceivedRequest) -> Reply:
        if not request.path.startswith(ROOT):
            return reply({"message": "Not Found"}, 404)
        try:
            return self._redirect(request) or self._route(request)
        except HostError as failure:
            return failure_reply(failure, limited=403)

    def _route(self, request: ReceivedRequest) -> Reply:
        place = self._by_name(request.path.removeprefix(ROOT))
        for operation, (pattern, handler) in _ROUTES.items():
            match = pattern.fullmatch(place)
            if match and operation.startswith(f"{request.method} "):
                parts = {name: unquote(part) for name, part in match.groupdict().items()}
                return handler(self, request, operation, **parts)
        return reply({"message": "Not Found"}, 404)

    def _by_name(self, place: str) -> str:
        match = _NUMBERED.fullmatch(place)
        if match is None:
            return place
        with self.world.locked() as state:
            return f"/repos/{state.by_id(match['id']).seen.full_name}{match['rest'] or ''}"

    def _redirect(self, request: ReceivedRequest) -> Reply | None:
        """Redirect calls with an old name to the URL with the repository's id."""
        match = _FORMER.fullmatch(request.path.removeprefix(ROOT))
        if match is None:
            return None
        name = f"{match['owner']}/{match['repo']}"
        with self.world.locked() as state:
            seen = state.by_name(name).seen
        if seen.full_name.lower() == name.lower():
            return None
        query = f"?{urlencode(request.query)}" if request.query else ""
        place = f"http://{request.headers['host']}{ROOT}/repositories/{seen.id}"
        status = 301 if request.method == "GET" else 307
        body = {"message": "Moved Permanently"}
        return reply(body, status, Location=f"{place}{match['rest'] or ''}{query}")

    def _host(self, request: ReceivedRequest) -> MemoryHost:
        return MemoryHost(self.world, request.headers["authorization"].removeprefix("Bearer "))

    def _respond(
        self, operation: str, data: object, headers: Mapping[str, str] | None = None
    ) -> Reply:
        DESCRIPTION.require_response(operation, data)
        return reply(data, DESCRIPTION.status(operation), **(headers or {}))

    def installation(self, request: ReceivedRequest, operation: str, installation_id: str) -> Reply:
        if not self._is_signed_by_app(request):
            return reply({"message": "A JSON web token could not be decoded"}, 401)
        if installation_id != INSTALLATION:
            return reply({"message": "Not Found"}, 404)
        with MemoryHost(self.world, TOKEN).call("get_identity"):
            slug = self.world.login.removesuffix("[bot]")
        example = DESCRIPTION.example(operation)
        suspended = now().isoformat() if self.suspended else None
        return self._respond(operation, {**example, "app_slug": slug, "suspended_at": suspended})

    def convert(self, request: ReceivedRequest, operation: str, code: str) -> Reply:
        key = self.confirmed.pop(code, None)
        if key is None:
            return reply({"message": "Not Found"}, 404)
        page = f"http://{request.headers['host']}/apps/visual-review"
        changed = {"id": 12345, "html_url": page, "pem": key, "webhook_secret": APP_SECRET}
        return self._respond(operation, {**DESCRIPTION.example(operation), **changed})

    def token(self, request: ReceivedRequest, operation: str, installation_id: str) -> Reply:
        if not self._is_signed_by_app(request):
            return reply({"message": "A JSON web token could not be decoded"}, 401)
        if installation_id != INSTALLATION:
            return reply({"message": "Not Found"}, 404)
        self.tokens_created += 1
        ends = (now() + timedelta(hours=1)).isoformat()
        example = DESCRIPTION.example(operation)
        return self._respond(operation, {**example, "token": TOKEN, "expires_at": ends})

    def _is_signed_by_app(self, request: ReceivedRequest) -> bool:
        if self.app_key is None:
            return False
        proof = request.headers["authorization"].removeprefix("Bearer ")
        claims = jwt.decode(proof, self.app_key, ["RS256"], issuer="12345")
        return bool(claims["exp"] - claims["iat"] <= 600)

    def user(self, request: ReceivedRequest, operation: str) -> Reply:
        login = self._host(request).get_identity().name
        return self._respond(operation, {**DESCRIPTION.example(operation), "login": login})

    def repositories(self, request: ReceivedRequest, operation: str) -> Reply:
        assert request.query["per_page"] == "100"
        example = DESCRIPTION.example("GET /user/repos")[0]
        items = list(self._host(request).list_repositories())

        def shown(part: list[HostRepository]) -> object:
            filled = [repository(example, one) for one in part]
            if operation == "GET /user/repos":
                return filled
            return {"total_count": len(items), "repositories": filled}

        return self._respond(operation, *paged(request, items, shown))

    def repository(self, request: ReceivedRequest, operation: str, **name: str) -> Reply:
        found = self._host(request).get_repository(_full(name))
        return self._respond(operation, repository(DESCRIPTION.example(operation), found))

    def reference(self, request: ReceivedRequest, operation: str, ref: str, **name: str) -> Reply:
        if not self._host(request).has_branch(_full(name), ref.removeprefix("heads/")):
            return reply({"message": "Not Found"}, 404)
        return self._respond(operation, {**DESCRIPTION.example(operation), "ref": f"refs/{ref}"})

    def pull(
        self, request: ReceivedRequest, operation: str, pull_number: str, **name: str
    ) -> Reply:
        found = self._host(request).get_pull_request(_full(name), int(pull_number))
        filled = pull_request(DESCRIPTION.example(operation), found)
        return self._respond(operation, {**filled, "merged": found.state == "merged"})

    def pulls(self, request: ReceivedRequest, operation: str, **name: str) -> Reply:
        assert request.query["state"] == "open"
        return self._pull_list(
            request, operation, list(self._host(request).list_open_pull_requests(_full(name)))
        )

    def pulls_of(
        self, request: ReceivedRequest, operation: str, commit_sha: str, **name: str
    ) -> Reply:
        host = self._host(request)
        host.find_pull_requests(_full(name), commit_sha)
        with self.world.locked() as state:
            stored = state.by_name(_full(name))
            # GitHub also returns closed pull requests; the caller filters them.
            numbers = [number for number, had in stored.commits.items() if commit_sha in had]
            found = [stored.pull_requests[number] for number in reversed(numbers)]
        if not found:
            return reply({"message": f"No commit found for SHA: {commit_sha}"}, 422)
        return self._pull_list(request, operation, found)

    def _pull_list(
        self, request: ReceivedRequest, operation: str, found: list[HostPullRequest]
    ) -> Reply:
        example = DESCRIPTION.example(operation)[0]
        shown = paged(request, found, lambda part: [pull_request(example, one) for one in part])
        return self._respond(operation, *shown)

    def set_status(self, request: ReceivedRequest, operation: str, sha: str, **name: str) -> Reply:
        posted = request.json
        status = HostStatus(
            posted["context"], posted["state"], posted["description"], posted["target_url"] or ""
        )
        if len(status.description) > 140:
            return reply({"message": "description is too long (maximum is 140 characters)"}, 422)
        with self.world.locked() as state:
            known = state.by_name(_full(name)).commits.values()
        if not any(sha in had for had in known):
            return reply({"message": f"No commit found for SHA: {sha}"}, 422)
        self._host(request).set_status(_full(name), sha, status)
        return self._respond(operation, {**DESCRIPTION.example(operation), **posted})

    def comments(
        self, request: ReceivedRequest, operation: str, issue_number: str, **name: str
    ) -> Reply:
        with self._host(request).call("find_comment"):
            items = self.world.comments_of(_full(name), int(issue_number))
        example = DESCRIPTION.example(operation)[0]
        shown = paged(request, items, lambda part: [_comment(example, one) for one in part])
        return self._respond(operation, *shown)

    def add_comment(
        self, request: ReceivedRequest, operation: str, issue_number: str, **name: str
    ) -> Reply:
        host = self._host(request)
        made = host.add_comment(_full(name), int(issue_number), request.json["body"])
        return self._written(operation, made.id, made.body)

    def edit_comment(
        self, request: ReceivedRequest, operation: str, comment_id: str, **name: str
    ) -> Reply:
        with self.world.locked() as state:
            comments = state.by_name(_full(name)).comments
            number = next(
                (
                    number
                    for number, written in comments.items()
                    if comment_id in {one.id for one in written}
                ),
                0,
            )
        body = request.json["body"]
        self._host(request).edit_comment(_full(name), number, comment_id, body)
        return self._written(operation, comment_id, body)

    def _written(self, operation: str, comment_id: str, body: str) -> Reply:
        written = WrittenComment(comment_id, self.world.login, body)
        return self._respond(operation, _comment(DESCRIPTION.example(operation), written))


def repository(example: Any, seen: HostRepository) -> Any:  # noqa: ANN401 - What JSON can say.
    owner, _, name = seen.full_name.partition("/")
    return {
        **example,
        "id": int(seen.id),
        "name": name,
        "full_name": seen.full_name,
        "owner": {**example["owner"], "login": owner},
        "default_branch": seen.default_branch,
        "private": seen.private,
        "archived": seen.archived,
    }


def pull_request(example: Any, pull: HostPullRequest) -> Any:  # noqa: ANN401 - What JSON can say.
    merged = pull.state == "merged"
    moment = pull.updated_at.isoformat() if pull.updated_at else None
    fork = pull.head_repository and {
        **example["head"]["repo"],
        "full_name": pull.head_repository,
    }
    return {
        **example,
        "number": pull.number,
        "title": pull.title,
        "body": pull.description or None,
        "state": "open" if pull.state == "open" else "closed",
        "merged_at": moment if merged else None,
        "closed_at": None if pull.state == "open" else moment,
        "merge_commit_sha": pull.merge_commit or TRIED_MERGE,
        "updated_at": moment,
        "head": {
            **example["head"],
            "ref": pull.head_branch,
            "sha": pull.head_commit,
            "repo": fork or None,
        },
        "base": {**example["base"], "ref": pull.base_branch},
    }


def _comment(example: Any, written: WrittenComment) -> Any:  # noqa: ANN401 - What JSON can say.
    user = {**example["user"], "login": written.author}
    return {**example, "id": int(written.id), "body": written.body, "user": user}


def _full(name: Mapping[str, str]) -> str:
    return f"{name['owner']}/{name['repo']}"


def _pattern(operation: str) -> re.Pattern[str]:
    place = operation.partition(" ")[2]
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", place))


Handler = Callable[..., Reply]
_HANDLERS: Mapping[str, Handler] = {
    "POST /app-manifests/{code}/conversions": FakeGitHub.convert,
    "GET /app/installations/{installation_id}": FakeGitHub.installation,
    "POST /app/installations/{installation_id}/access_tokens": FakeGitHub.token,
    "GET /user": FakeGitHub.user,
    "GET /user/repos": FakeGitHub.repositories,
    "GET /installation/repositories": FakeGitHub.repositories,
    f"GET {_REPO}": FakeGitHub.repository,
    f"GET {_REPO}/git/ref/{{ref}}": FakeGitHub.reference,
    f"GET {_REPO}/pulls/{{pull_number}}": FakeGitHub.pull,
    f"GET {_REPO}/pulls": FakeGitHub.pulls,
    f"GET {_REPO}/commits/{{commit_sha}}/pulls": FakeGitHub.pulls_of,
    f"POST {_REPO}/statuses/{{sha}}": FakeGitHub.set_status,
    f"GET {_REPO}/issues/{{issue_number}}/comments": FakeGitHub.comments,
    f"POST {_REPO}/issues/{{issue_number}}/comments": FakeGitHub.add_comment,
    f"PATCH {_REPO}/issues/comments/{{comment_id}}": FakeGitHub.edit_comment,
}
_ROUTES = {operation: (_pattern(operation), handler) for operation, handler in _HANDLERS.items()}
