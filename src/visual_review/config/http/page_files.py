"""``/static/``: the files of the pages, served without a thread of Django."""

from collections.abc import Sequence
from os import PathLike, stat_result
from typing import Final

from django.contrib.staticfiles.finders import get_finders
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

PATH: Final = "/static"
# Their names do not change with an upgrade.
CACHE_CONTROL: Final = "max-age=60, public"


class PageFiles(StaticFiles):
    """The static files of all installed applications, as Django finds them."""

    def get_directories(
        self,
        directory: str | PathLike[str] | None = None,  # noqa: ARG002 - Django knows the folders.
        packages: Sequence[str | tuple[str, str]] | None = None,  # noqa: ARG002 - As above.
    ) -> list[str | PathLike[str]]:
        return [
            storage.location
            for finder in get_finders()
            for storage in getattr(finder, "storages", {}).values()
        ]

    def file_response(
        self,
        full_path: str | PathLike[str],
        stat_result: stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        response = super().file_response(full_path, stat_result, scope, status_code)
        response.headers["cache-control"] = CACHE_CONTROL
        return response
