"""``POST /api/oauth/token`` and ``POST /api/oauth/revoke``."""

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import HttpRequest, HttpResponse

from visual_review.accounts.oauth.server import Answer, revocation_response, token_response
from visual_review.api.json_bodies import JSON_TYPE
from visual_review.api.oauth.endpoint import FORM_TYPE, check_size, limited, oauth_endpoint, refusal


@oauth_endpoint("POST")
@limited("ask_token")
def token(request: HttpRequest) -> HttpResponse:
    return _refused_form(request) or _answered(token_response(request.POST))


@oauth_endpoint("POST")
@limited("ask_token")
def revoke(request: HttpRequest) -> HttpResponse:
    return _refused_form(request) or _answered(revocation_response(request.POST))


def _refused_form(request: HttpRequest) -> HttpResponse | None:
    check_size(request)
    if request.content_type != FORM_TYPE:
        return refusal("invalid_request", f"Send the parameters as '{FORM_TYPE}'.")
    try:
        addressed, _ = request.GET, request.POST
    except (BadRequest, SuspiciousOperation):
        return refusal("invalid_request", "The parameters are too many, or not in UTF-8.")
    # A token in an address would stand in logs.
    if addressed:
        return refusal("invalid_request", "Send the parameters in the body, not in the address.")
    return None


def _answered(answer: Answer) -> HttpResponse:
    response = HttpResponse(answer.body, content_type=JSON_TYPE, status=answer.status)
    for name, value in answer.headers.items():
        response[name] = value
    response["Cache-Control"] = "no-store"
    return response
