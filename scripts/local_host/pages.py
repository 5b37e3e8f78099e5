"""Simple pages: an overview, and one page per pull request."""

from html import escape
from importlib.resources import files
from typing import Final

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from scripts.local_host.markup import render_comment
from scripts.local_host.memory import MemoryWorld
from scripts.local_host.memory.state import WrittenComment
from scripts.local_host.shapes import page_of
from visual_review.hosts.errors import HostMissingError
from visual_review.hosts.port import HostPullRequest, HostStatus

STYLE: Final = "/style.css"
POLICY: Final = "default-src 'none'; style-src 'self'; img-src http: https:"
PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="stylesheet" href="{style}">
</head>
<body>
<header><a href="/">Local Git provider</a></header>
<main>{body}</main>
</body>
</html>
"""


class Pages:
    def __init__(self, world: MemoryWorld, address: str) -> None:
        self._world = world
        self._address = address

    def routes(self) -> list[Route]:
        return [
            Route("/", self.overview),
            Route(STYLE, self.style),
            Route("/{owner}/{name}/pulls/{number:int}", self.pull_request),
        ]

    async def overview(self, request: Request) -> Response:  # noqa: ARG002 - Starlette's form.
        with self._world.locked() as state:
            known = [
                (stored.seen.full_name, list(stored.pull_requests.values()))
                for stored in state.repositories.values()
            ]
        parts = [
            f"<section><h2>{escape(full_name)}</h2>{self._listed(full_name, pulls)}</section>"
            for full_name, pulls in known
        ]
        return _page("Repositories", f"<h1>Repositories</h1>{''.join(parts) or '<p>None.</p>'}")

    async def style(self, request: Request) -> Response:  # noqa: ARG002 - As above.
        text = files("scripts.local_host").joinpath("style.css").read_text(encoding="utf-8")
        return Response(text, media_type="text/css")

    async def pull_request(self, request: Request) -> Response:
        full_name = f"{request.path_params['owner']}/{request.path_params['name']}"
        number: int = request.path_params["number"]
        try:
            with self._world.locked() as state:
                pull = state.by_name(full_name).pull_request(number)
        except HostMissingError as error:
            return _page("Not found", f"<h1>Not found</h1><p>{escape(str(error))}</p>", 404)
        statuses = self._world.statuses_of(full_name, pull.head_commit)
        comments = self._world.comments_of(full_name, number)
        body = (
            _heading(full_name, pull)
            + _statuses(pull, list(statuses.values()))
            + "".join(_comment(written) for written in comments)
        )
        return _page(f"{pull.title} #{number}", body)

    def _listed(self, full_name: str, pulls: list[HostPullRequest]) -> str:
        items = [
            f'<li><a href="{escape(page_of(pull.number, full_name, self._address))}">'
            f"#{pull.number} {escape(pull.title)}</a> ({pull.state})</li>"
            for pull in pulls
        ]
        return f"<ul>{''.join(items)}</ul>" if items else "<p>No pull requests.</p>"


def _page(title: str, body: str, status: int = 200) -> Response:
    text = PAGE.format(title=escape(title), style=STYLE, body=body)
    return HTMLResponse(text, status, {"Content-Security-Policy": POLICY})


def _heading(full_name: str, pull: HostPullRequest) -> str:
    return (
        f"<h1>{escape(pull.title)} <small>#{pull.number}</small></h1>"
        f'<p><b class="{pull.state}">{pull.state}</b> {escape(full_name)}: '
        f"<code>{escape(pull.head_branch)}</code> into <code>{escape(pull.base_branch)}</code>, "
        f"commit <code>{escape(pull.head_commit[:10])}</code></p>"
    )


def _statuses(pull: HostPullRequest, statuses: list[HostStatus]) -> str:
    if not statuses:
        return f"<p>No statuses of {escape(pull.head_commit[:10])} yet.</p>"
    rows = [
        f'<li><b class="{status.state}">{status.state}</b> <strong>{escape(status.context)}</strong> '
        f'<span>{escape(status.description)}</span> <a href="{escape(status.url)}">Details</a></li>'
        for status in sorted(statuses, key=lambda status: status.context)
    ]
    return f'<section><h2>Statuses</h2><ul class="statuses">{"".join(rows)}</ul></section>'


def _comment(written: WrittenComment) -> str:
    return (
        f'<article><p class="author">{escape(written.author)} commented</p>'
        f"{render_comment(written.body)}</article>"
    )
