"""JSON of pages: the views' values, compressed as the browser accepts."""

import json

import pytest
from django.test import RequestFactory
from django.utils.safestring import mark_safe

from tests.support.case import Case
from tests.support.encodings import read_json
from visual_review.actions.compression import MIN_BYTES
from visual_review.web.json_responses import json_response

VALUE = {"rows": [["shot", 1, 0.5, None, True]], "name": "Zoë", "html": mark_safe("<b>safe</b>")}
LONG = {**VALUE, "text": "long " * MIN_BYTES}


def test_a_response_is_compressed_where_that_pays(case: Case) -> None:
    for value, accepted, encoding in (
        (VALUE, "gzip", None),
        (LONG, "", None),
        (LONG, "gzip, deflate", "gzip"),
        (LONG, "gzip, deflate, br, zstd", "zstd"),
        (LONG, "gzip;q=0", None),
    ):
        with case((len(value), accepted)):
            request = RequestFactory().get("/", headers={"Accept-Encoding": accepted})
            response = json_response(request, value)
            assert response.get("Content-Encoding") == encoding
            assert response["Vary"] == "Accept-Encoding"
            assert response["Content-Length"] == str(len(response.content))
            assert read_json(response.headers, response.content) == json.loads(json.dumps(value))


def test_what_has_no_json_is_an_error() -> None:
    with pytest.raises(TypeError, match="complex is not JSON serializable"):
        json_response(RequestFactory().get("/"), {"value": 1j})
