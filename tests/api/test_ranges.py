"""Signed URLs serve ranges of files, so that players can seek."""

from pathlib import Path

import pytest
from django.http.response import HttpResponseBase
from django.test import Client

from tests.support.pages import path_of
from visual_review.kernel.blobs import blob_store

DATA = bytes(range(256)) * 3000
KEY = "recordings/org_1/rec_1/video.webm"


@pytest.fixture
def url(blobs_folder: Path) -> str:  # noqa: ARG001 - It sets the storage.
    blob_store().put(KEY, DATA)
    return path_of(blob_store().link(KEY, 60))


def get(url: str, **headers: str) -> tuple[HttpResponseBase, bytes]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    response = Client().get(url, headers=named)
    return response, b"".join(response)  # type: ignore[arg-type] - Bytes come in pieces.


def test_a_range_is_returned_with_its_position(url: str) -> None:
    response, body = get(url, Range="bytes=300000-600000")
    assert response.status_code == 206
    assert body == DATA[300000:600001]
    assert response["Content-Range"] == f"bytes 300000-600000/{len(DATA)}"
    assert response["Content-Length"] == str(len(body))
    assert response["Content-Type"] == "video/webm"
    assert response["X-Content-Type-Options"] == "nosniff"


def test_the_whole_file_announces_that_ranges_are_accepted(url: str) -> None:
    response, body = get(url)
    assert (response.status_code, body) == (200, DATA)
    assert response["Accept-Ranges"] == "bytes"


def test_a_range_beyond_the_end_is_rejected_with_the_size(url: str) -> None:
    response, _ = get(url, Range=f"bytes={len(DATA)}-")
    assert response.status_code == 416
    assert response["Content-Range"] == f"bytes */{len(DATA)}"


def test_a_range_of_another_version_returns_the_whole_file(url: str) -> None:
    etag = get(url)[0]["ETag"]
    assert get(url, Range="bytes=0-9", If_Range=etag)[0].status_code == 206
    response, body = get(url, Range="bytes=0-9", If_Range='"other"')
    assert (response.status_code, body) == (200, DATA)


def test_ranges_need_the_signature_too(url: str) -> None:
    assert get(url.replace("video", "other"), Range="bytes=0-9")[0].status_code == 403
