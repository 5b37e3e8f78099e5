"""Puts an error answer into words that name the way out."""

from collections.abc import Mapping
from typing import Any, Final

import httpx

from visual_review.client.terminal import printable
from visual_review.client.transport.errors import ConflictError, ServiceError

SHOWN_ERRORS: Final = 5
LONGEST_DETAIL: Final = 1000

CALLER_ADVICE: Final = (
    "It is wrong or was rotated. Rotate it on the repository's page (or by the action "
    "rotate_repo_token) and store the new one as the CI secret UI_REVIEW_TOKEN."
)
# What the server's words begin with when it was given no project token.
IDENTITY: Final = "identity token"
ADVICE: Final[dict[int, str]] = {
    404: "Check the address (VISUAL_REVIEW_URL or --url).",
    413: "Capture less at once, or ask whoever runs the server for a higher limit.",
    507: "The server's disk is full. Whoever runs it must make room; then publish again.",
}


def refusal(response: httpx.Response, where: str) -> ServiceError:
    """The error for any answer that is no success."""
    status = response.status_code
    # Redirects are not followed, since a POST would arrive as a GET.
    if response.is_redirect:
        return ServiceError(
            f"{where} sends elsewhere, to {printable(response.headers.get('location', ''))}. "
            "Use that address as VISUAL_REVIEW_URL."
        )
    detail = _detail(_problem(response))
    if status == httpx.codes.UNAUTHORIZED and IDENTITY not in detail:
        return ServiceError(
            f"{where} refused the project token (status {status}). {CALLER_ADVICE}", status
        )
    words = [f"{where} refused with status {status}:", detail]
    return ServiceError(" ".join([*words, ADVICE.get(status, "")]).strip(), status)


def conflict(response: httpx.Response, where: str) -> ConflictError:
    problem = _problem(response)
    missing = problem.get("missing")
    # Of a recording, lists by the kind of what is missing.
    lists = missing.values() if isinstance(missing, Mapping) else [missing]
    names = tuple(str(item) for each in lists if isinstance(each, list) for item in each)
    return ConflictError(f"{where} refused: {_detail(problem)}", names)


def _problem(response: httpx.Response) -> Mapping[str, Any]:
    try:
        body = response.json()
    except ValueError:
        body = None
    return body if isinstance(body, Mapping) else {}


def _detail(problem: Mapping[str, Any]) -> str:
    """Detail and single errors of an RFC 9457 document, or what stands in for it."""
    detail = str(problem.get("detail") or problem.get("title") or "without a reason.")
    errors = problem.get("errors")
    if isinstance(errors, list) and errors:
        # The detail often quotes the first of them.
        single = [text for text in map(_one, errors) if text not in detail.replace(": ", " ")]
        shown = single[:SHOWN_ERRORS]
        if len(single) > SHOWN_ERRORS:
            shown.append(f"and {len(single) - SHOWN_ERRORS} more")
        detail = f"{detail} ({'; '.join(shown)})" if shown else detail
    return printable(detail[:LONGEST_DETAIL])


def _one(error: Any) -> str:  # noqa: ANN401 - Raw JSON of any shape.
    if not isinstance(error, Mapping):
        return str(error)
    where = error.get("pointer") or error.get("path") or error.get("field") or ""
    return f"{where} {error.get('detail') or error.get('message') or ''}".strip()
