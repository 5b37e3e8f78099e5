"""Turns error responses into messages that say what to do."""

from collections.abc import Mapping
from typing import Any, Final

import httpx

from visual_review.client.terminal import printable
from visual_review.client.transport.errors import ConflictError, ServiceError

SHOWN_ERRORS: Final = 5
LONGEST_DETAIL: Final = 1000

ROTATION_ADVICE: Final = (
    "It is wrong or was rotated. Rotate it on the repository's page (or with the action "
    "rotate_repo_token) and store the new one as the CI secret UI_REVIEW_TOKEN."
)
# Part of the server's message when the credential was not a project token.
IDENTITY_PHRASE: Final = "identity token"
ADVICE: Final[dict[int, str]] = {
    404: "Check the URL (VISUAL_REVIEW_URL or --url).",
    413: "Capture less at once, or ask the server's administrator for a higher limit.",
    507: "The server's disk is full. Its administrator must free space; then publish again.",
}


def make_service_error(response: httpx.Response, where: str) -> ServiceError:
    """Return the error for a response without success."""
    status = response.status_code
    # Redirects are not followed, since a POST would arrive as a GET.
    if response.is_redirect:
        return ServiceError(
            f"{where} redirects to {printable(response.headers.get('location', ''))}. "
            "Use that URL as VISUAL_REVIEW_URL."
        )
    detail = _format_detail(_read_problem(response))
    if status == httpx.codes.UNAUTHORIZED and IDENTITY_PHRASE not in detail:
        return ServiceError(
            f"{where} rejected the project token (status {status}). {ROTATION_ADVICE}", status
        )
    parts = [f"{where} responded with status {status}:", detail]
    return ServiceError(" ".join([*parts, ADVICE.get(status, "")]).strip(), status)


def make_conflict_error(response: httpx.Response, where: str) -> ConflictError:
    problem = _read_problem(response)
    missing = problem.get("missing")
    # For a recording, there is one list for each kind of file.
    lists = missing.values() if isinstance(missing, Mapping) else [missing]
    names = tuple(str(item) for each in lists if isinstance(each, list) for item in each)
    return ConflictError(f"{where} reported a conflict: {_format_detail(problem)}", names)


def _read_problem(response: httpx.Response) -> Mapping[str, Any]:
    try:
        body = response.json()
    except ValueError:
        body = None
    return body if isinstance(body, Mapping) else {}


def _format_detail(problem: Mapping[str, Any]) -> str:
    """Return the detail and errors of an RFC 9457 document, or a substitute."""
    detail = str(problem.get("detail") or problem.get("title") or "no reason given.")
    errors = problem.get("errors")
    if isinstance(errors, list) and errors:
        # The detail often quotes the first one.
        messages = [
            text for text in map(_format_error, errors) if text not in detail.replace(": ", " ")
        ]
        shown = messages[:SHOWN_ERRORS]
        if len(messages) > SHOWN_ERRORS:
            shown.append(f"and {len(messages) - SHOWN_ERRORS} more")
        detail = f"{detail} ({'; '.join(shown)})" if shown else detail
    return printable(detail[:LONGEST_DETAIL])


def _format_error(error: Any) -> str:  # noqa: ANN401 - Raw JSON of any shape.
    if not isinstance(error, Mapping):
        return str(error)
    where = error.get("pointer") or error.get("path") or error.get("field") or ""
    return f"{where} {error.get('detail') or error.get('message') or ''}".strip()
