"""Where the bare endpoints are: the view below ``/api/``, where programs call Django."""

DJANGO_PATH = "/api/bare/list_builds"
STARLETTE_PATH = "/bare/list_builds"
