"""What every call of the CI interface shares: who asks, for which repository, in what form."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from visual_review.accounts.callers import Caller
from visual_review.actions.schema import ActionResult
from visual_review.api.bodies import JSON_TYPE
from visual_review.api.credentials import bearer_of
from visual_review.api.errors import machine_door, problem
from visual_review.builds.finishing import MissingImagesError
from visual_review.repositories.models import Repository
from visual_review.repositories.queries import repository_of
from visual_review.repositories.tokens import NOT_RECOGNIZED, caller_of_project_token


@dataclass(frozen=True)
class Project:
    """The repository a project token speaks for, and the token as a caller."""

    caller: Caller
    repository: Repository


CiView = Callable[..., ActionResult]


def ci_door(method: str) -> Callable[[CiView], Callable[..., HttpResponseBase]]:
    """Make ``view(request, project, ...)`` a call of the CI interface; it returns its answer."""

    def decorate(view: CiView) -> Callable[..., HttpResponseBase]:
        @machine_door(method)
        @wraps(view)
        def answer(request: HttpRequest, **parts: str) -> HttpResponse:
            # Asked before anything of the request is read, so strangers learn nothing about it.
            project = _project_of(request)
            try:
                result = view(request, project, **parts)
            except MissingImagesError as error:
                return problem(HTTPStatus.CONFLICT, str(error), missing=error.missing)
            response = HttpResponse(json.dumps(result.model_dump(mode="json")), JSON_TYPE)
            response["Cache-Control"] = "no-store"
            return response

        return answer

    return decorate


def _project_of(request: HttpRequest) -> Project:
    caller = caller_of_project_token(bearer_of(request.headers, NOT_RECOGNIZED), "ci")
    return Project(caller, repository_of(caller.organization_id, caller.repository_id or ""))
